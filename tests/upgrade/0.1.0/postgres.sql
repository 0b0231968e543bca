SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.api_keys (
    id text NOT NULL,
    person text NOT NULL,
    prefix text NOT NULL,
    hash text NOT NULL,
    label text NOT NULL,
    scopes text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint
);
CREATE TABLE public.audit (
    id text NOT NULL,
    at bigint NOT NULL,
    action text NOT NULL,
    actor text NOT NULL,
    channel text NOT NULL,
    conversation_id text,
    call_id text,
    request_id text,
    source text,
    target text,
    data text NOT NULL
);
CREATE TABLE public.calls (
    id text NOT NULL,
    conversation_id text NOT NULL,
    turn_id text NOT NULL,
    message_id text NOT NULL,
    "position" integer NOT NULL,
    provider_id text NOT NULL,
    agent text NOT NULL,
    tool text NOT NULL,
    source text NOT NULL,
    risk text NOT NULL,
    definition_hash text NOT NULL,
    status text NOT NULL,
    revision integer NOT NULL,
    arguments text NOT NULL,
    arguments_digest text NOT NULL,
    proposed text NOT NULL,
    cleared_by text,
    approved boolean NOT NULL,
    policy_version text NOT NULL,
    turn_number integer NOT NULL,
    step integer NOT NULL,
    run_by bigint,
    fence integer NOT NULL,
    attempts integer NOT NULL,
    worker text,
    lease_until bigint,
    task_id text,
    metadata text,
    supplied text,
    output text,
    note text,
    created_at bigint NOT NULL,
    settled_at bigint,
    CONSTRAINT ck_calls_status CHECK ((status = ANY (ARRAY['proposed'::text, 'awaiting_input'::text, 'awaiting_approval'::text, 'awaiting_result'::text, 'cleared'::text, 'running'::text, 'in_doubt'::text, 'succeeded'::text, 'failed'::text, 'denied'::text, 'rejected'::text, 'expired'::text, 'cancelled'::text, 'superseded'::text])))
);
CREATE TABLE public.conversations (
    id text NOT NULL,
    agent text NOT NULL,
    owner text NOT NULL,
    owner_kind text NOT NULL,
    owner_roles text NOT NULL,
    owner_behind text,
    created_at bigint NOT NULL
);
CREATE TABLE public.decisions (
    id text NOT NULL,
    request_id text NOT NULL,
    person text NOT NULL,
    channel text NOT NULL,
    verdict text NOT NULL,
    fingerprint text NOT NULL,
    reason text NOT NULL,
    arguments text,
    digest text,
    idempotency_key text,
    at bigint NOT NULL,
    shown text,
    human text
);
CREATE TABLE public.events (
    id bigint NOT NULL,
    xid bigint DEFAULT ((pg_current_xact_id())::text)::bigint NOT NULL,
    turn_id text NOT NULL,
    seq integer NOT NULL,
    kind text NOT NULL,
    data text NOT NULL,
    at bigint NOT NULL
);
CREATE SEQUENCE public.events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.events_id_seq OWNED BY public.events.id;
CREATE TABLE public.facts (
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.links (
    id text NOT NULL,
    person text NOT NULL,
    purpose text NOT NULL,
    request_id text,
    kid text NOT NULL,
    mac text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    used_at bigint
);
CREATE TABLE public.messages (
    id text NOT NULL,
    conversation_id text NOT NULL,
    turn_id text NOT NULL,
    "position" integer NOT NULL,
    role text NOT NULL,
    text text NOT NULL,
    body text,
    open_calls integer NOT NULL,
    incomplete boolean NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT ck_messages_open_calls CHECK ((open_calls >= 0))
);
CREATE TABLE public.overrides (
    tool text NOT NULL,
    settings text NOT NULL,
    by text NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.people (
    id text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    roles text NOT NULL,
    created_at bigint NOT NULL,
    behind text,
    disabled boolean NOT NULL,
    CONSTRAINT ck_people_kind CHECK ((kind = ANY (ARRAY['human'::text, 'service'::text, 'agent'::text])))
);
CREATE TABLE public.request_audience (
    request_id text NOT NULL,
    principal text NOT NULL,
    risk text NOT NULL,
    created_at bigint NOT NULL,
    closed_at bigint
);
CREATE TABLE public.requests (
    id text NOT NULL,
    kind text NOT NULL,
    status text NOT NULL,
    call_id text NOT NULL,
    conversation_id text NOT NULL,
    turn_id text NOT NULL,
    revision integer NOT NULL,
    owner text NOT NULL,
    agent text NOT NULL,
    tool text NOT NULL,
    risk text NOT NULL,
    audience text NOT NULL,
    quorum integer NOT NULL,
    digest text NOT NULL,
    policy_version text NOT NULL,
    question text NOT NULL,
    draft text,
    created_at bigint NOT NULL,
    decide_by bigint,
    closed_at bigint,
    closed_by text,
    owner_behind text,
    confirmation text,
    votes integer DEFAULT 0 NOT NULL,
    CONSTRAINT ck_requests_status CHECK ((status = ANY (ARRAY['open'::text, 'approved'::text, 'rejected'::text, 'answered'::text, 'expired'::text, 'cancelled'::text, 'superseded'::text])))
);
CREATE TABLE public.revisions (
    call_id text NOT NULL,
    revision integer NOT NULL,
    arguments text NOT NULL,
    arguments_digest text NOT NULL,
    author text NOT NULL,
    by text NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.saved_values (
    conversation_id text NOT NULL,
    scope text NOT NULL,
    name text NOT NULL,
    value text NOT NULL,
    secret boolean NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.secrets (
    id text NOT NULL,
    conversation_id text NOT NULL,
    call_id text,
    field text NOT NULL,
    sealed text NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.sessions (
    id text NOT NULL,
    person text NOT NULL,
    hash text NOT NULL,
    how text NOT NULL,
    roles text NOT NULL,
    scopes text NOT NULL,
    api_key text,
    created_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    ended_at bigint,
    request_id text
);
CREATE VIEW public.tool_calls AS
 SELECT id AS tool_call_id,
    tool AS name,
    arguments,
    ( SELECT
                CASE requests.status
                    WHEN 'approved'::text THEN true
                    WHEN 'open'::text THEN NULL::boolean
                    ELSE false
                END AS "case"
           FROM public.requests
          WHERE ((requests.call_id = calls.id) AND (requests.kind = 'approval'::text))
          ORDER BY requests.created_at DESC, requests.id DESC
         LIMIT 1) AS validated,
    message_id
   FROM public.calls;
CREATE TABLE public.turns (
    id text NOT NULL,
    conversation_id text NOT NULL,
    number integer NOT NULL,
    agent text NOT NULL,
    owner text NOT NULL,
    status text NOT NULL,
    step integer NOT NULL,
    fence integer NOT NULL,
    worker text,
    lease_until bigint,
    idempotency_key text,
    body_digest text,
    guarded boolean NOT NULL,
    error text,
    created_at bigint NOT NULL,
    ended_at bigint,
    CONSTRAINT ck_turns_status CHECK ((status = ANY (ARRAY['running'::text, 'waiting'::text, 'ready'::text, 'done'::text, 'failed'::text, 'stopped'::text])))
);
ALTER TABLE ONLY public.events ALTER COLUMN id SET DEFAULT nextval('public.events_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('0004');
INSERT INTO public.api_keys VALUES ('key_18e8f486db2dbe5fa8f4fcfa8ba1a123', 'ada', 'b6648d0652aa', '9f9843b62d7fa89ad8ab53b8722f0cae197e43813e5b6f7af0ad4410cf45a1dd', 'a key', '["audit","chat","decide","manage","read"]', 1893456120000000, NULL, NULL, NULL);
INSERT INTO public.audit VALUES ('aud_18e8f486550ca208eaff132ad5af882c', 1893456000000000, 'propose', 'agent:agent', '', 'conv_18e8f4864f79dc6a986fb16ce9fe4ab8', 'call_18e8f48654ef332a179201056ac92418', NULL, NULL, NULL, '{"tool":"look","arguments":"a388a3a83a2432b67349ef3208face44dca3c15a2a98329d1c2dce57b740354b"}');
INSERT INTO public.audit VALUES ('aud_18e8f486550cca49737e6cc2ed0ed246', 1893456000000000, 'gate', 'agent:agent', '', 'conv_18e8f4864f79dc6a986fb16ce9fe4ab8', 'call_18e8f48654ef332a179201056ac92418', NULL, 'proposed', 'cleared', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486550ce7785759fa1b1e74f7d9', 1893456000000000, 'claim', 'agent:agent', '', 'conv_18e8f4864f79dc6a986fb16ce9fe4ab8', 'call_18e8f48654ef332a179201056ac92418', NULL, 'cleared', 'running', '{"fence":1}');
INSERT INTO public.audit VALUES ('aud_18e8f4865ee2bc93832b6a4c1dc16cfc', 1893456000000000, 'succeed', 'worker:worker_18e8f4863241278aedec60e0ea854004', '', 'conv_18e8f4864f79dc6a986fb16ce9fe4ab8', 'call_18e8f48654ef332a179201056ac92418', NULL, 'running', 'succeeded', '{}');
INSERT INTO public.audit VALUES ('aud_18e8f48661276ec276488ba0f3d9c994', 1893456000000000, 'propose', 'agent:agent', '', 'conv_18e8f4865fc51bed8331caab1113bad5', 'call_18e8f4865ff282653c1f5fe7c654b2a0', NULL, NULL, NULL, '{"tool":"pay","arguments":"96fbf8cc174758b4eb08c2ff79f7ebf94730233ac357c0ce4081f71fe4c5ef4b"}');
INSERT INTO public.audit VALUES ('aud_18e8f4866127c1bb317f36dbaf8bf591', 1893456000000000, 'gate', 'agent:agent', '', 'conv_18e8f4865fc51bed8331caab1113bad5', 'call_18e8f4865ff282653c1f5fe7c654b2a0', NULL, 'proposed', 'awaiting_approval', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486700359a6df5b9af09762448d', 1893456000000000, 'approve', 'ada', 'library', 'conv_18e8f4865fc51bed8331caab1113bad5', 'call_18e8f4865ff282653c1f5fe7c654b2a0', 'req_18e8f4865ff5a47283168e371a062da6', 'awaiting_approval', 'cleared', '{"digest":"96fbf8cc174758b4eb08c2ff79f7ebf94730233ac357c0ce4081f71fe4c5ef4b","revision":1,"arguments":"{\"amount\":1,\"to\":\"bob\"}"}');
INSERT INTO public.audit VALUES ('aud_18e8f486700381f14e99e4923ebc22f8', 1893456000000000, 'claim', 'ada', 'library', 'conv_18e8f4865fc51bed8331caab1113bad5', 'call_18e8f4865ff282653c1f5fe7c654b2a0', NULL, 'cleared', 'running', '{"fence":1}');
INSERT INTO public.audit VALUES ('aud_18e8f4867603cc213c984acf28bfa405', 1893456000000000, 'succeed', 'worker:worker_18e8f4863241278aedec60e0ea854004', '', 'conv_18e8f4865fc51bed8331caab1113bad5', 'call_18e8f4865ff282653c1f5fe7c654b2a0', NULL, 'running', 'succeeded', '{}');
INSERT INTO public.audit VALUES ('aud_18e8f48676c7c25c50daaba9706d5eaf', 1893456000000000, 'propose', 'agent:agent', '', 'conv_18e8f48676079395d40ced90c3b59f30', 'call_18e8f48676c3dcd235393f4c048cd42a', NULL, NULL, NULL, '{"tool":"stumble","arguments":"a2879a37ea1e0b8938f44d782c2ff3887f30554da489efc8634d658a95a1094d"}');
INSERT INTO public.audit VALUES ('aud_18e8f48676c7d5b92c405814db56b3f9', 1893456000000000, 'gate', 'agent:agent', '', 'conv_18e8f48676079395d40ced90c3b59f30', 'call_18e8f48676c3dcd235393f4c048cd42a', NULL, 'proposed', 'awaiting_approval', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f48676ffcc21c933bdae16f85d58', 1893456000000000, 'approve', 'ada', 'library', 'conv_18e8f48676079395d40ced90c3b59f30', 'call_18e8f48676c3dcd235393f4c048cd42a', 'req_18e8f48676c667ca0e8aedaba7c0e865', 'awaiting_approval', 'cleared', '{"digest":"a2879a37ea1e0b8938f44d782c2ff3887f30554da489efc8634d658a95a1094d","revision":1,"arguments":"{\"amount\":2}"}');
INSERT INTO public.audit VALUES ('aud_18e8f48676ffe1e2e0b313d09e7fe7b3', 1893456000000000, 'claim', 'ada', 'library', 'conv_18e8f48676079395d40ced90c3b59f30', 'call_18e8f48676c3dcd235393f4c048cd42a', NULL, 'cleared', 'running', '{"fence":1}');
INSERT INTO public.audit VALUES ('aud_18e8f48677624b88966131a3438767d8', 1893456000000000, 'fail', 'worker:worker_18e8f4863241278aedec60e0ea854004', '', 'conv_18e8f48676079395d40ced90c3b59f30', 'call_18e8f48676c3dcd235393f4c048cd42a', NULL, 'running', 'failed', '{}');
INSERT INTO public.audit VALUES ('aud_18e8f48677c5fb91ef9727b3b441f03e', 1893456000000000, 'propose', 'agent:agent', '', 'conv_18e8f486775e5631e0fc9288f391442a', 'call_18e8f48677c32ecca05b31643f8d36b9', NULL, NULL, NULL, '{"tool":"guess","arguments":"6d47010e407ddba47d8460e9c3984e515309fd15eaf15d2505e76cbd213df915"}');
INSERT INTO public.audit VALUES ('aud_18e8f48677c60b69e337fc3cd303c1aa', 1893456000000000, 'gate', 'agent:agent', '', 'conv_18e8f486775e5631e0fc9288f391442a', 'call_18e8f48677c32ecca05b31643f8d36b9', NULL, 'proposed', 'awaiting_approval', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486799ea3b20b544e5e22edaed1', 1893456000000000, 'approve', 'ada', 'library', 'conv_18e8f486775e5631e0fc9288f391442a', 'call_18e8f48677c32ecca05b31643f8d36b9', 'req_18e8f48677c51652941d2eb30c51656d', 'awaiting_approval', 'cleared', '{"digest":"6d47010e407ddba47d8460e9c3984e515309fd15eaf15d2505e76cbd213df915","revision":1,"arguments":"{\"amount\":3}"}');
INSERT INTO public.audit VALUES ('aud_18e8f486799eca08148b5640b49d6cfc', 1893456000000000, 'claim', 'ada', 'library', 'conv_18e8f486775e5631e0fc9288f391442a', 'call_18e8f48677c32ecca05b31643f8d36b9', NULL, 'cleared', 'running', '{"fence":1}');
INSERT INTO public.audit VALUES ('aud_18e8f48679d9722d507633e556121811', 1893456000000000, 'doubt', 'worker:worker_18e8f4863241278aedec60e0ea854004', '', 'conv_18e8f486775e5631e0fc9288f391442a', 'call_18e8f48677c32ecca05b31643f8d36b9', NULL, 'running', 'in_doubt', '{"reason":"no answer to 3"}');
INSERT INTO public.audit VALUES ('aud_18e8f4867bcb7f9114b40553be5c79d8', 1893456000000000, 'propose', 'agent:agent', '', 'conv_18e8f48679e21528d70901b22840ee14', 'call_18e8f4867bc736e628f56cdb4286fc85', NULL, NULL, NULL, '{"tool":"pay","arguments":"3b2cf3385a0711708a600a4f9c09beba93d133cea0c7ba8d29b504db259f8615"}');
INSERT INTO public.audit VALUES ('aud_18e8f4867bcb9692eaf7d4adfcfa0bc3', 1893456000000000, 'gate', 'agent:agent', '', 'conv_18e8f48679e21528d70901b22840ee14', 'call_18e8f4867bc736e628f56cdb4286fc85', NULL, 'proposed', 'awaiting_approval', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f4867d98795b6f0f09ee75e4a8d9', 1893456000000000, 'edit', 'ada', 'library', 'conv_18e8f48679e21528d70901b22840ee14', 'call_18e8f4867bc736e628f56cdb4286fc85', 'req_18e8f4867bca422599ee59695fbbc4c6', 'awaiting_approval', 'proposed', '{"revision":2,"before":"{\"amount\":4,\"to\":\"bob\"}","after":"{\"amount\":40,\"to\":\"eve\"}","digest":"7a6ede4ccf50be3f129703f2a157449f8fade028b819119bd4b46d7b0364fc4d"}');
INSERT INTO public.audit VALUES ('aud_18e8f4867fcc5cb39079b05b3351fa19', 1893456000000000, 'approve', 'ada', 'library', 'conv_18e8f48679e21528d70901b22840ee14', 'call_18e8f4867bc736e628f56cdb4286fc85', 'req_18e8f4867bca422599ee59695fbbc4c6', 'proposed', 'cleared', '{"digest":"7a6ede4ccf50be3f129703f2a157449f8fade028b819119bd4b46d7b0364fc4d","revision":2,"arguments":"{\"amount\":40,\"to\":\"eve\"}"}');
INSERT INTO public.audit VALUES ('aud_18e8f4867fccaa14e6548574c993d43f', 1893456000000000, 'claim', 'ada', 'library', 'conv_18e8f48679e21528d70901b22840ee14', 'call_18e8f4867bc736e628f56cdb4286fc85', NULL, 'cleared', 'running', '{"fence":1}');
INSERT INTO public.audit VALUES ('aud_18e8f4868ae81736f1743f2610fb16bf', 1893456000000000, 'propose', 'agent:agent', '', 'conv_18e8f486860704a34b6dcf2d82865693', 'call_18e8f4868ade88ba60ad21e00716a21e', NULL, NULL, NULL, '{"tool":"pay","arguments":"29ddb7bbd60d67fa1591798dc16ecfeddfbfbb48c6353113c32659d4e76a6078"}');
INSERT INTO public.audit VALUES ('aud_18e8f4868ae82e9b920d33fca1b74952', 1893456000000000, 'gate', 'agent:agent', '', 'conv_18e8f486860704a34b6dcf2d82865693', 'call_18e8f4868ade88ba60ad21e00716a21e', NULL, 'proposed', 'awaiting_approval', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f4868c88d7182530c9ce1268f25f', 1893456000000000, 'succeed', 'worker:worker_18e8f4863241278aedec60e0ea854004', '', 'conv_18e8f48679e21528d70901b22840ee14', 'call_18e8f4867bc736e628f56cdb4286fc85', NULL, 'running', 'succeeded', '{}');
INSERT INTO public.audit VALUES ('aud_18e8f4868fce2302b607e5099c0e1a9f', 1893456000000000, 'reject', 'ada', 'library', 'conv_18e8f486860704a34b6dcf2d82865693', 'call_18e8f4868ade88ba60ad21e00716a21e', 'req_18e8f4868ae6af94f5153f7acc70a783', 'awaiting_approval', 'rejected', '{"reason":"no","arguments":"{\"amount\":5,\"to\":\"bob\"}"}');
INSERT INTO public.audit VALUES ('aud_18e8f4869c62e2dd01bc0c65bd5ee2ac', 1893456000000000, 'propose', 'agent:agent', '', 'conv_18e8f4869a996fb5aa7adb207f59e002', 'call_18e8f4869c517cd25d70fcad9babebf1', NULL, NULL, NULL, '{"tool":"pay","arguments":"abd907b9d1995b6f17af334a75cd31f448733b94a317859d005b140a8a6808d9"}');
INSERT INTO public.audit VALUES ('aud_18e8f4869c6303e10f61a53168cfe559', 1893456000000000, 'gate', 'agent:agent', '', 'conv_18e8f4869a996fb5aa7adb207f59e002', 'call_18e8f4869c517cd25d70fcad9babebf1', NULL, 'proposed', 'awaiting_approval', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486a0ca3d6c7e3ae1851ca9ecf9', 1893456000000000, 'stop', 'ada', '', 'conv_18e8f4869a996fb5aa7adb207f59e002', 'call_18e8f4869c517cd25d70fcad9babebf1', NULL, 'awaiting_approval', 'cancelled', '{}');
INSERT INTO public.audit VALUES ('aud_18e8f486a1ee7d7c4fc081df5997af26', 1893456000000000, 'propose', 'agent:agent', '', 'conv_18e8f486a17e821e0215d77a88f5a683', 'call_18e8f486a1ea0138b91c0850d0f77272', NULL, NULL, NULL, '{"tool":"pay","arguments":"c2f6af9f66b68436dad821f3244eee6f0436eac9c38b80a9ffcb609ab66ce268"}');
INSERT INTO public.audit VALUES ('aud_18e8f486a1ee91a262d08e2c60998f5f', 1893456000000000, 'gate', 'agent:agent', '', 'conv_18e8f486a17e821e0215d77a88f5a683', 'call_18e8f486a1ea0138b91c0850d0f77272', NULL, 'proposed', 'awaiting_approval', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486a34e6eefccf76e72d32afe8e', 1893456000000000, 'succeed', 'worker:worker_18e8f4863241278aedec60e0ea854004', '', 'conv_18e8f486a17e821e0215d77a88f5a683', 'call_18e8f486a2e70a7f86cff37f0d2540a5', NULL, 'running', 'succeeded', '{}');
INSERT INTO public.audit VALUES ('aud_18e8f486cd68a0763f454f3c5d60cdf7', 1893456120000000, 'propose', 'agent:agent', '', 'conv_18e8f486cb6e5433e0afd60282004736', 'call_18e8f486cd62bd6b1e8b43bafee8714a', NULL, NULL, NULL, '{"tool":"pay","arguments":"b5f4d08026cd589d8a9fff5dd7009d73f892cbb1c54d0c1e0eae2fcea7ef8bdd"}');
INSERT INTO public.audit VALUES ('aud_18e8f486cd68bb6afd9940f9458f562f', 1893456120000000, 'gate', 'agent:agent', '', 'conv_18e8f486cb6e5433e0afd60282004736', 'call_18e8f486cd62bd6b1e8b43bafee8714a', NULL, 'proposed', 'awaiting_approval', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486ce674446ffa5320e7c6dfb35', 1893456120000000, 'propose', 'agent:agent', '', 'conv_18e8f486cd85d6559968694c7efb95b1', 'call_18e8f486ce62792d414fed7f1a6731bb', NULL, NULL, NULL, '{"tool":"wire","arguments":"1dcb03dbb432a0fc253f1abc9c1f13e3b553bfff92d2f6015f8da9a97d3d692f"}');
INSERT INTO public.audit VALUES ('aud_18e8f486ce6758e4c2567449e00f2529', 1893456120000000, 'gate', 'agent:agent', '', 'conv_18e8f486cd85d6559968694c7efb95b1', 'call_18e8f486ce62792d414fed7f1a6731bb', NULL, 'proposed', 'awaiting_approval', '{"by":"rule:two of finance"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d753138660f414cbfb0257f1', 1893456120000000, 'wait', 'worker:worker_18e8f4863241278aedec60e0ea854004', '', 'conv_18e8f486d6f074332c920752f0b9e7a0', 'call_18e8f486d7184c0c74addd0558a44054', NULL, 'running', 'awaiting_result', '{}');
INSERT INTO public.audit VALUES ('aud_18e8f486d868b455ede4a2ec1d7b2bb9', 1893456120000000, 'propose', 'agent:agent', '', 'conv_18e8f486d7f2dd6e1750d8d08f67bb59', 'call_18e8f486d8643ecb21de677ba66912d7', NULL, NULL, NULL, '{"tool":"pay","arguments":"c964865e08d9bdfd7813d62d0d7398e56c0b2e1fe532a629b2ca051837af429b"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d868c871ed388f0cb619a3b4', 1893456120000000, 'gate', 'agent:agent', '', 'conv_18e8f486d7f2dd6e1750d8d08f67bb59', 'call_18e8f486d8643ecb21de677ba66912d7', NULL, 'proposed', 'awaiting_approval', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d8bbe162e010fc5223aababb', 1893456120000000, 'propose', 'agent:agent', '', 'conv_18e8f486d89cde79bcfcd8212efd5231', 'call_18e8f486d8b8d027ebf14859b6f6219e', NULL, NULL, NULL, '{"tool":"ship","arguments":"4649245ddd14613a707e6f2f4de48453dc73903bf45eb0e53fe29dcc25abef9f"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d8bbf41f8fca0d293c0239b3', 1893456120000000, 'gate', 'agent:agent', '', 'conv_18e8f486d89cde79bcfcd8212efd5231', 'call_18e8f486d8b8d027ebf14859b6f6219e', NULL, 'proposed', 'awaiting_approval', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486a247e2b5d55eff861702922a', 1893456000000000, 'supersede', 'ada', '', 'conv_18e8f486a17e821e0215d77a88f5a683', 'call_18e8f486a1ea0138b91c0850d0f77272', NULL, 'awaiting_approval', 'superseded', '{}');
INSERT INTO public.audit VALUES ('aud_18e8f486c7f9d677ed50413ef99c133e', 1893456120000000, 'expire', 'deadline', '', 'conv_18e8f486a3bbcc2a854cb2cba6c528ad', 'call_18e8f486a3de267cbbf398268f65ff58', 'req_18e8f486a3e050a042f3b4438b99c0a8', 'awaiting_approval', 'expired', '{}');
INSERT INTO public.audit VALUES ('aud_18e8f486d2b5a09d1d757f25bfebdbd7', 1893456120000000, 'draft', 'ada', 'library', 'conv_18e8f486d1da825a80bcc5fea8b46e61', 'call_18e8f486d21b93e2bd8373072e6f068b', 'req_18e8f486d21eff7b47d2d6a741e2c6cc', 'awaiting_input', 'awaiting_input', '{}');
INSERT INTO public.audit VALUES ('aud_18e8f486d3c18cfc0f646b49eaa7384f', 1893456120000000, 'answer', 'ada', 'library', 'conv_18e8f486d2d890911d83ca1aa5dd0641', 'call_18e8f486d2f9b53f383209d95db57bd0', 'req_18e8f486d2fd8a8372c2028e9eace010', 'awaiting_input', 'proposed', '{"revision":2,"before":"{\"amount\":14}","after":"{\"amount\":14,\"pin\":{\"$secret\":\"sec_18e8f486d33217e7a2d8b11e8baee73f\"},\"to\":\"bob\"}","digest":"3f0d16be028449c7d6a8bd69d3ab8f35e282836af48320af9d847d0f0f7b7635"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d3dafe061ca6671c4f26ce2a', 1893456120000000, 'gate', 'ada', 'library', 'conv_18e8f486d2d890911d83ca1aa5dd0641', 'call_18e8f486d2f9b53f383209d95db57bd0', NULL, 'proposed', 'cleared', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d3fd968102c2e4a9150a07fc', 1893456120000000, 'claim', 'ada', 'library', 'conv_18e8f486d2d890911d83ca1aa5dd0641', 'call_18e8f486d2f9b53f383209d95db57bd0', NULL, 'cleared', 'running', '{"fence":1}');
INSERT INTO public.audit VALUES ('aud_18e8f486d63cb1c60043a7359ee40d0c', 1893456120000000, 'succeed', 'worker:worker_18e8f4863241278aedec60e0ea854004', '', 'conv_18e8f486d2d890911d83ca1aa5dd0641', 'call_18e8f486d2f9b53f383209d95db57bd0', NULL, 'running', 'succeeded', '{}');
INSERT INTO public.audit VALUES ('aud_18e8f486d974c7bf338038233e5dff3d', 1893456120000000, 'add_person', 'ada', '', NULL, NULL, NULL, NULL, NULL, '{"person":"ada","kind":"human","roles":["admin","user"],"behind":null,"disabled":false}');
INSERT INTO public.audit VALUES ('aud_18e8f486da82867aaebf1b5cacc9479d', 1893456120000000, 'add_person', 'ada', '', NULL, NULL, NULL, NULL, NULL, '{"person":"finn","kind":"human","roles":["finance"],"behind":null,"disabled":false}');
INSERT INTO public.audit VALUES ('aud_18e8f486db009fa7491ae01896c37608', 1893456120000000, 'add_person', 'ada', '', NULL, NULL, NULL, NULL, NULL, '{"person":"fay","kind":"human","roles":["finance"],"behind":null,"disabled":false}');
INSERT INTO public.audit VALUES ('aud_18e8f486db7b20b6c3148d9a1181fc54', 1893456120000000, 'override', 'ada', '', NULL, NULL, NULL, NULL, NULL, '{"tool":"look","settings":"{\"risk\":\"moderate\",\"requires_approval\":null,\"decide_within\":null,\"impact\":null,\"category\":null,\"audience\":null,\"confirmation\":null}","loosens":false}');
INSERT INTO public.audit VALUES ('aud_18e8f486a2ea3d4bedb489d003e6c333', 1893456000000000, 'propose', 'agent:agent', '', 'conv_18e8f486a17e821e0215d77a88f5a683', 'call_18e8f486a2e70a7f86cff37f0d2540a5', NULL, NULL, NULL, '{"tool":"look","arguments":"2023c954bfdd39ae53608e1ca3062843411fe3b6195931d8656abdc5bcb82f89"}');
INSERT INTO public.audit VALUES ('aud_18e8f486a2ea518edf308ea94002a0d2', 1893456000000000, 'gate', 'agent:agent', '', 'conv_18e8f486a17e821e0215d77a88f5a683', 'call_18e8f486a2e70a7f86cff37f0d2540a5', NULL, 'proposed', 'cleared', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486a2ea6329e6c46320bd598dfa', 1893456000000000, 'claim', 'agent:agent', '', 'conv_18e8f486a17e821e0215d77a88f5a683', 'call_18e8f486a2e70a7f86cff37f0d2540a5', NULL, 'cleared', 'running', '{"fence":1}');
INSERT INTO public.audit VALUES ('aud_18e8f486a3e163554275430c8009c6c4', 1893456000000000, 'propose', 'agent:agent', '', 'conv_18e8f486a3bbcc2a854cb2cba6c528ad', 'call_18e8f486a3de267cbbf398268f65ff58', NULL, NULL, NULL, '{"tool":"hurry","arguments":"bcc1828bc406a5fa6acf3981b561afde94685746c82670668d1d3db3029ecfc6"}');
INSERT INTO public.audit VALUES ('aud_18e8f486a3e1739ba841293cfe7b34ef', 1893456000000000, 'gate', 'agent:agent', '', 'conv_18e8f486a3bbcc2a854cb2cba6c528ad', 'call_18e8f486a3de267cbbf398268f65ff58', NULL, 'proposed', 'awaiting_approval', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d1205d64c8a788d98b67e370', 1893456120000000, 'vote', 'finn', 'library', 'conv_18e8f486cd85d6559968694c7efb95b1', 'call_18e8f486ce62792d414fed7f1a6731bb', 'req_18e8f486ce65f90014e8f5ca7067fac8', 'awaiting_approval', 'awaiting_approval', '{"votes":1,"quorum":2,"arguments":"{\"amount\":11}"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d1982c847f3c8dee4769ea37', 1893456120000000, 'propose', 'agent:agent', '', 'conv_18e8f486d163d042eb8567049433708b', 'call_18e8f486d1930db38b6c45ef302b3896', NULL, NULL, NULL, '{"tool":"pay_by_form","arguments":"70e1d28f6239e1afba2e3a3b9671674417e76f46126b75b9d5fe0436d752a013"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d198444d14964f9dd52890cf', 1893456120000000, 'gate', 'agent:agent', '', 'conv_18e8f486d163d042eb8567049433708b', 'call_18e8f486d1930db38b6c45ef302b3896', NULL, 'proposed', 'awaiting_input', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d220460fd8817a3abb87fbb4', 1893456120000000, 'propose', 'agent:agent', '', 'conv_18e8f486d1da825a80bcc5fea8b46e61', 'call_18e8f486d21b93e2bd8373072e6f068b', NULL, NULL, NULL, '{"tool":"pay_by_form","arguments":"b963514b08b1cc9a25add378bed5902719ccceaa2759717adb505e6c65bd6009"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d2205eb435e455800db512ac', 1893456120000000, 'gate', 'agent:agent', '', 'conv_18e8f486d1da825a80bcc5fea8b46e61', 'call_18e8f486d21b93e2bd8373072e6f068b', NULL, 'proposed', 'awaiting_input', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d2fed6a598ec7dd2e2664a5a', 1893456120000000, 'propose', 'agent:agent', '', 'conv_18e8f486d2d890911d83ca1aa5dd0641', 'call_18e8f486d2f9b53f383209d95db57bd0', NULL, NULL, NULL, '{"tool":"pay_by_form","arguments":"08c8e4defe54e40551b6b00b9a2954fb75001fd103918b2905ea22a587cc6dfa"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d2feec8de5365e140cae2106', 1893456120000000, 'gate', 'agent:agent', '', 'conv_18e8f486d2d890911d83ca1aa5dd0641', 'call_18e8f486d2f9b53f383209d95db57bd0', NULL, 'proposed', 'awaiting_input', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d62efa803534e92b6830ea10', 1893456120000000, 'propose', 'agent:agent', '', 'conv_18e8f486d559a15cfa1975c7dd37ba3f', 'call_18e8f486d62ab67dff644e5f5f9f8a95', NULL, NULL, NULL, '{"tool":"sign","arguments":"154164ff6901b11fbb12b46a99222223c68c51b62459f18853b23e45175991e9"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d62f0dc01afa83b1968f8ce2', 1893456120000000, 'gate', 'agent:agent', '', 'conv_18e8f486d559a15cfa1975c7dd37ba3f', 'call_18e8f486d62ab67dff644e5f5f9f8a95', NULL, 'proposed', 'awaiting_result', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d71b5f3156b59724d4fa1faf', 1893456120000000, 'propose', 'agent:agent', '', 'conv_18e8f486d6f074332c920752f0b9e7a0', 'call_18e8f486d7184c0c74addd0558a44054', NULL, NULL, NULL, '{"tool":"order","arguments":"1c253cc0f3a501af58b36bd04699b691e83cdde3c236656858b834495dc566a3"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d71b76f0427ab680ff2639d3', 1893456120000000, 'gate', 'agent:agent', '', 'conv_18e8f486d6f074332c920752f0b9e7a0', 'call_18e8f486d7184c0c74addd0558a44054', NULL, 'proposed', 'cleared', '{"by":"tool"}');
INSERT INTO public.audit VALUES ('aud_18e8f486d71b8903ba169a42594406be', 1893456120000000, 'claim', 'agent:agent', '', 'conv_18e8f486d6f074332c920752f0b9e7a0', 'call_18e8f486d7184c0c74addd0558a44054', NULL, 'cleared', 'running', '{"fence":1}');
INSERT INTO public.audit VALUES ('aud_18e8f486db2f02d743281892d9df4b5e', 1893456120000000, 'issue_key', 'ada', '', NULL, NULL, NULL, NULL, NULL, '{"key":"key_18e8f486db2dbe5fa8f4fcfa8ba1a123","person":"ada","prefix":"b6648d0652aa","scopes":["audit","chat","decide","manage","read"],"expires_at":null}');
INSERT INTO public.audit VALUES ('aud_18e8f4873a0c18d24b8f259c8b67db62', 1893456000000000, 'approve', 'ada', 'library', 'conv_18e8f486d89cde79bcfcd8212efd5231', 'call_18e8f486d8b8d027ebf14859b6f6219e', 'req_18e8f486d8bada7ebf8bee7b156321ff', 'awaiting_approval', 'cleared', '{"digest":"4649245ddd14613a707e6f2f4de48453dc73903bf45eb0e53fe29dcc25abef9f","revision":1,"arguments":"{\"amount\":18}"}');
INSERT INTO public.audit VALUES ('aud_18e8f4873a0c4b5e9eb3f636703527df', 1893456000000000, 'claim', 'ada', 'library', 'conv_18e8f486d89cde79bcfcd8212efd5231', 'call_18e8f486d8b8d027ebf14859b6f6219e', NULL, 'cleared', 'running', '{"fence":1}');
INSERT INTO public.audit VALUES ('aud_18e8f4873dfd90142d67a6a6843285f0', 1893456120000000, 'approve', 'ada', 'library', 'conv_18e8f486d7f2dd6e1750d8d08f67bb59', 'call_18e8f486d8643ecb21de677ba66912d7', 'req_18e8f486d8676b4afcaac45cbd3de69f', 'awaiting_approval', 'cleared', '{"digest":"c964865e08d9bdfd7813d62d0d7398e56c0b2e1fe532a629b2ca051837af429b","revision":1,"arguments":"{\"amount\":17,\"to\":\"bob\"}"}');
INSERT INTO public.calls VALUES ('call_18e8f48654ef332a179201056ac92418', 'conv_18e8f4864f79dc6a986fb16ce9fe4ab8', 'turn_18e8f4864f7864c76f5ac70bf6fe63e2', 'msg_18e8f48654eb8cce57f5ca078597340b', 0, 'scripted_20', 'agent', 'look', 'local', 'safe', '10d4778cb9665cb9c88332f21b3bcc4dadeb19ebe29bf1eaeae6f3f41ccce9cf', 'succeeded', 1, '{"place":"garden"}', 'a388a3a83a2432b67349ef3208face44dca3c15a2a98329d1c2dce57b740354b', '{"place":"garden"}', 'tool', false, 'eb01d45afc625085', 1, 1, NULL, 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, NULL, NULL, '"looked at garden"', NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.calls VALUES ('call_18e8f4865ff282653c1f5fe7c654b2a0', 'conv_18e8f4865fc51bed8331caab1113bad5', 'turn_18e8f4865fc3f007a380d8440cc902d6', 'msg_18e8f4865fe871fd61a1df672a37308e', 0, 'scripted_21', 'agent', 'pay', 'local', 'moderate', '045f6ebe3f645b35e0bfc1b8fc9fc054fbb62d1fa49b5b582dc3eff089b28ccc', 'succeeded', 1, '{"amount":1,"to":"bob"}', '96fbf8cc174758b4eb08c2ff79f7ebf94730233ac357c0ce4081f71fe4c5ef4b', '{"amount":1,"to":"bob"}', 'person:ada', true, 'eb01d45afc625085', 1, 1, 1893456900000000, 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, NULL, NULL, '"paid 1 to bob"', NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.calls VALUES ('call_18e8f48676c3dcd235393f4c048cd42a', 'conv_18e8f48676079395d40ced90c3b59f30', 'turn_18e8f48675d250d4854c52f7bd4f959d', 'msg_18e8f48676c115ba165c768cfe529526', 0, 'scripted_22', 'agent', 'stumble', 'local', 'moderate', '1ce16c2ece055574873593671061cef5b497d0c4e6c09fc60b8a0cda56dd571d', 'failed', 1, '{"amount":2}', 'a2879a37ea1e0b8938f44d782c2ff3887f30554da489efc8634d658a95a1094d', '{"amount":2}', 'person:ada', true, 'eb01d45afc625085', 1, 1, 1893456900000000, 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, NULL, NULL, '{"error":"ValueError: cannot do 2"}', NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.calls VALUES ('call_18e8f48677c32ecca05b31643f8d36b9', 'conv_18e8f486775e5631e0fc9288f391442a', 'turn_18e8f486775dd76631482849b4230de0', 'msg_18e8f48677c1a82e56deca0f879c1d99', 0, 'scripted_23', 'agent', 'guess', 'local', 'moderate', '3873dc273f52f21ec8394f8180292eb6b4db5ebe7e29c29929d201f94985d124', 'in_doubt', 1, '{"amount":3}', '6d47010e407ddba47d8460e9c3984e515309fd15eaf15d2505e76cbd213df915', '{"amount":3}', 'person:ada', true, 'eb01d45afc625085', 1, 1, 1893456900000000, 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, NULL, NULL, NULL, NULL, 1893456000000000, NULL);
INSERT INTO public.calls VALUES ('call_18e8f4867bc736e628f56cdb4286fc85', 'conv_18e8f48679e21528d70901b22840ee14', 'turn_18e8f48679e186ae2dd32f7ad668ad91', 'msg_18e8f4867bc43728ce18ee30ec1b959a', 0, 'scripted_24', 'agent', 'pay', 'local', 'moderate', '045f6ebe3f645b35e0bfc1b8fc9fc054fbb62d1fa49b5b582dc3eff089b28ccc', 'succeeded', 2, '{"amount":40,"to":"eve"}', '7a6ede4ccf50be3f129703f2a157449f8fade028b819119bd4b46d7b0364fc4d', '{"amount":4,"to":"bob"}', 'person:ada', true, 'eb01d45afc625085', 1, 1, 1893456900000000, 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, NULL, NULL, '"paid 40 to eve"', 'A person changed the arguments of this call to: {"amount":40,"to":"eve"}', 1893456000000000, 1893456000000000);
INSERT INTO public.calls VALUES ('call_18e8f4868ade88ba60ad21e00716a21e', 'conv_18e8f486860704a34b6dcf2d82865693', 'turn_18e8f48686061e738006596fdb6c395c', 'msg_18e8f4868adbac1d04af7be24bdb1b87', 0, 'scripted_25', 'agent', 'pay', 'local', 'moderate', '045f6ebe3f645b35e0bfc1b8fc9fc054fbb62d1fa49b5b582dc3eff089b28ccc', 'rejected', 1, '{"amount":5,"to":"bob"}', '29ddb7bbd60d67fa1591798dc16ecfeddfbfbb48c6353113c32659d4e76a6078', '{"amount":5,"to":"bob"}', NULL, false, 'eb01d45afc625085', 1, 1, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, '{"error":"Tool call refused by the user. User''s feedback: no"}', NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.calls VALUES ('call_18e8f4869c517cd25d70fcad9babebf1', 'conv_18e8f4869a996fb5aa7adb207f59e002', 'turn_18e8f4869a9874f1e58fe997a0db1e8c', 'msg_18e8f4869c4e5c7e47a27baac55f012d', 0, 'scripted_26', 'agent', 'pay', 'local', 'moderate', '045f6ebe3f645b35e0bfc1b8fc9fc054fbb62d1fa49b5b582dc3eff089b28ccc', 'cancelled', 1, '{"amount":6,"to":"bob"}', 'abd907b9d1995b6f17af334a75cd31f448733b94a317859d005b140a8a6808d9', '{"amount":6,"to":"bob"}', NULL, false, 'eb01d45afc625085', 1, 1, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, '{"error":"The user stopped the turn before this call ran."}', NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.calls VALUES ('call_18e8f486a1ea0138b91c0850d0f77272', 'conv_18e8f486a17e821e0215d77a88f5a683', 'turn_18e8f486a17d9c3505339cb76ddff9ef', 'msg_18e8f486a1e79943f5d0023ab3a3ce28', 0, 'scripted_27', 'agent', 'pay', 'local', 'moderate', '045f6ebe3f645b35e0bfc1b8fc9fc054fbb62d1fa49b5b582dc3eff089b28ccc', 'superseded', 1, '{"amount":7,"to":"bob"}', 'c2f6af9f66b68436dad821f3244eee6f0436eac9c38b80a9ffcb609ab66ce268', '{"amount":7,"to":"bob"}', NULL, false, 'eb01d45afc625085', 1, 1, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, '{"error":"The call was cancelled because the user sent a new message."}', NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.calls VALUES ('call_18e8f486a2e70a7f86cff37f0d2540a5', 'conv_18e8f486a17e821e0215d77a88f5a683', 'turn_18e8f486a2083388f142a44cac073ad8', 'msg_18e8f486a2e4e3ea273ee15f76beb3c0', 0, 'scripted_28', 'agent', 'look', 'local', 'safe', '10d4778cb9665cb9c88332f21b3bcc4dadeb19ebe29bf1eaeae6f3f41ccce9cf', 'succeeded', 1, '{"place":"elsewhere"}', '2023c954bfdd39ae53608e1ca3062843411fe3b6195931d8656abdc5bcb82f89', '{"place":"elsewhere"}', 'tool', false, 'eb01d45afc625085', 2, 1, NULL, 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, NULL, NULL, '"looked at elsewhere"', NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.calls VALUES ('call_18e8f486a3de267cbbf398268f65ff58', 'conv_18e8f486a3bbcc2a854cb2cba6c528ad', 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 'msg_18e8f486a3dc643429396f770f80a0e7', 0, 'scripted_29', 'agent', 'hurry', 'local', 'moderate', '5c9b4e0dbe281bcfb4cb9b8b0688ebf5a099cda6686830b6c69f84c224c60b9d', 'expired', 1, '{"amount":8}', 'bcc1828bc406a5fa6acf3981b561afde94685746c82670668d1d3db3029ecfc6', '{"amount":8}', NULL, false, 'eb01d45afc625085', 1, 1, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, '{"error":"Approval request timed out."}', NULL, 1893456000000000, 1893456120000000);
INSERT INTO public.calls VALUES ('call_18e8f486cd62bd6b1e8b43bafee8714a', 'conv_18e8f486cb6e5433e0afd60282004736', 'turn_18e8f486cb6d5156664baf924fdcb80b', 'msg_18e8f486cd5fd9ffbebe11675fa7230d', 0, 'scripted_30', 'agent', 'pay', 'local', 'moderate', '045f6ebe3f645b35e0bfc1b8fc9fc054fbb62d1fa49b5b582dc3eff089b28ccc', 'awaiting_approval', 1, '{"amount":10,"to":"bob"}', 'b5f4d08026cd589d8a9fff5dd7009d73f892cbb1c54d0c1e0eae2fcea7ef8bdd', '{"amount":10,"to":"bob"}', NULL, false, 'eb01d45afc625085', 1, 1, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1893456120000000, NULL);
INSERT INTO public.calls VALUES ('call_18e8f486ce62792d414fed7f1a6731bb', 'conv_18e8f486cd85d6559968694c7efb95b1', 'turn_18e8f486cd8536364700578841fbcf4a', 'msg_18e8f486ce5fa9a1e58a3936be88f635', 0, 'scripted_31', 'agent', 'wire', 'local', 'dangerous', 'ad04b0e2ed6bde55cb2de295edd2d927400b989fc476c056950318861c4128ca', 'awaiting_approval', 1, '{"amount":11}', '1dcb03dbb432a0fc253f1abc9c1f13e3b553bfff92d2f6015f8da9a97d3d692f', '{"amount":11}', NULL, false, 'eb01d45afc625085', 1, 1, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1893456120000000, NULL);
INSERT INTO public.calls VALUES ('call_18e8f486d1930db38b6c45ef302b3896', 'conv_18e8f486d163d042eb8567049433708b', 'turn_18e8f486d163122c0abc36dcb1116450', 'msg_18e8f486d190cbe32d4feda5eb3de1ce', 0, 'scripted_32', 'agent', 'pay_by_form', 'local', 'moderate', '6bacb23612efb7e933ba2c8e215784f39e7a6dafee2ae10a3376d555e9634d35', 'awaiting_input', 1, '{"amount":12}', '70e1d28f6239e1afba2e3a3b9671674417e76f46126b75b9d5fe0436d752a013', '{"amount":12}', NULL, false, 'eb01d45afc625085', 1, 1, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1893456120000000, NULL);
INSERT INTO public.calls VALUES ('call_18e8f486d21b93e2bd8373072e6f068b', 'conv_18e8f486d1da825a80bcc5fea8b46e61', 'turn_18e8f486d1d9ce16ed6faf77a9a5ef8c', 'msg_18e8f486d219558dff513ada83a484c7', 0, 'scripted_33', 'agent', 'pay_by_form', 'local', 'moderate', '6bacb23612efb7e933ba2c8e215784f39e7a6dafee2ae10a3376d555e9634d35', 'awaiting_input', 1, '{"amount":13}', 'b963514b08b1cc9a25add378bed5902719ccceaa2759717adb505e6c65bd6009', '{"amount":13}', NULL, false, 'eb01d45afc625085', 1, 1, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1893456120000000, NULL);
INSERT INTO public.calls VALUES ('call_18e8f486d2f9b53f383209d95db57bd0', 'conv_18e8f486d2d890911d83ca1aa5dd0641', 'turn_18e8f486d2d7c588e57f30996c19c440', 'msg_18e8f486d2f6b848ddc56563cb24d2b9', 0, 'scripted_34', 'agent', 'pay_by_form', 'local', 'moderate', '6bacb23612efb7e933ba2c8e215784f39e7a6dafee2ae10a3376d555e9634d35', 'succeeded', 2, '{"amount":14,"pin":{"$secret":"sec_18e8f486d33217e7a2d8b11e8baee73f"},"to":"bob"}', '3f0d16be028449c7d6a8bd69d3ab8f35e282836af48320af9d847d0f0f7b7635', '{"amount":14}', 'tool', false, 'eb01d45afc625085', 1, 1, NULL, 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456150000000, NULL, NULL, NULL, '"paid 14 to bob with [secret]"', NULL, 1893456120000000, 1893456120000000);
INSERT INTO public.calls VALUES ('call_18e8f486d62ab67dff644e5f5f9f8a95', 'conv_18e8f486d559a15cfa1975c7dd37ba3f', 'turn_18e8f486d53e8b3a49e08eb81f02da50', 'msg_18e8f486d6289557859948bd7a766a22', 0, 'scripted_35', 'agent', 'sign', 'local', 'moderate', '7a2321c90c8e1822efbbb7b1ef2757618d882ff269902488a7aa3e0671983025', 'awaiting_result', 1, '{"amount":15}', '154164ff6901b11fbb12b46a99222223c68c51b62459f18853b23e45175991e9', '{"amount":15}', 'tool', false, 'eb01d45afc625085', 1, 1, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1893456120000000, NULL);
INSERT INTO public.calls VALUES ('call_18e8f486d7184c0c74addd0558a44054', 'conv_18e8f486d6f074332c920752f0b9e7a0', 'turn_18e8f486d6ee610fdef0cb02731b05af', 'msg_18e8f486d71616fd557c79daef4db04c', 0, 'scripted_36', 'agent', 'order', 'local', 'moderate', '363459f4e1353f620fe9cb21f12a7ae4931805849a9858e3738039f58434d219', 'awaiting_result', 1, '{"amount":16}', '1c253cc0f3a501af58b36bd04699b691e83cdde3c236656858b834495dc566a3', '{"amount":16}', 'tool', false, 'eb01d45afc625085', 1, 1, NULL, 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456150000000, 'task-of-an-earlier-release', NULL, NULL, NULL, NULL, 1893456120000000, NULL);
INSERT INTO public.calls VALUES ('call_18e8f486d8b8d027ebf14859b6f6219e', 'conv_18e8f486d89cde79bcfcd8212efd5231', 'turn_18e8f486d89a84049ede666376001ab2', 'msg_18e8f486d8b72d351960af8663e7f109', 0, 'scripted_38', 'agent', 'ship', 'local', 'moderate', '9c71605c70115c4f6ee1d461fcea3426d43b682cd0045334748f005986740add', 'running', 1, '{"amount":18}', '4649245ddd14613a707e6f2f4de48453dc73903bf45eb0e53fe29dcc25abef9f', '{"amount":18}', 'person:ada', true, '349976a90affd44c', 1, 1, 1893456900000000, 1, 1, 'worker_18e8f48738352c34be95363033501c25', 1893456030000000, NULL, NULL, NULL, NULL, NULL, 1893456120000000, NULL);
INSERT INTO public.calls VALUES ('call_18e8f486d8643ecb21de677ba66912d7', 'conv_18e8f486d7f2dd6e1750d8d08f67bb59', 'turn_18e8f486d7f20002ca713e73da197f47', 'msg_18e8f486d861e33306bd231ec8d0dda3', 0, 'scripted_37', 'agent', 'pay', 'local', 'moderate', '045f6ebe3f645b35e0bfc1b8fc9fc054fbb62d1fa49b5b582dc3eff089b28ccc', 'cleared', 1, '{"amount":17,"to":"bob"}', 'c964865e08d9bdfd7813d62d0d7398e56c0b2e1fe532a629b2ca051837af429b', '{"amount":17,"to":"bob"}', 'person:ada', true, '349976a90affd44c', 1, 1, 1893457020000000, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1893456120000000, NULL);
INSERT INTO public.conversations VALUES ('conv_18e8f4864f79dc6a986fb16ce9fe4ab8', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456000000000);
INSERT INTO public.conversations VALUES ('conv_18e8f4865fc51bed8331caab1113bad5', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456000000000);
INSERT INTO public.conversations VALUES ('conv_18e8f48676079395d40ced90c3b59f30', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456000000000);
INSERT INTO public.conversations VALUES ('conv_18e8f486775e5631e0fc9288f391442a', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456000000000);
INSERT INTO public.conversations VALUES ('conv_18e8f48679e21528d70901b22840ee14', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456000000000);
INSERT INTO public.conversations VALUES ('conv_18e8f486860704a34b6dcf2d82865693', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456000000000);
INSERT INTO public.conversations VALUES ('conv_18e8f4869a996fb5aa7adb207f59e002', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456000000000);
INSERT INTO public.conversations VALUES ('conv_18e8f486a17e821e0215d77a88f5a683', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456000000000);
INSERT INTO public.conversations VALUES ('conv_18e8f486a3bbcc2a854cb2cba6c528ad', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456000000000);
INSERT INTO public.conversations VALUES ('conv_18e8f486cb6e5433e0afd60282004736', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456120000000);
INSERT INTO public.conversations VALUES ('conv_18e8f486cd85d6559968694c7efb95b1', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456120000000);
INSERT INTO public.conversations VALUES ('conv_18e8f486d163d042eb8567049433708b', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456120000000);
INSERT INTO public.conversations VALUES ('conv_18e8f486d1da825a80bcc5fea8b46e61', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456120000000);
INSERT INTO public.conversations VALUES ('conv_18e8f486d2d890911d83ca1aa5dd0641', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456120000000);
INSERT INTO public.conversations VALUES ('conv_18e8f486d559a15cfa1975c7dd37ba3f', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456120000000);
INSERT INTO public.conversations VALUES ('conv_18e8f486d6f074332c920752f0b9e7a0', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456120000000);
INSERT INTO public.conversations VALUES ('conv_18e8f486d7f2dd6e1750d8d08f67bb59', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456120000000);
INSERT INTO public.conversations VALUES ('conv_18e8f486d89cde79bcfcd8212efd5231', 'agent', 'ada', 'human', '["admin","user"]', NULL, 1893456120000000);
INSERT INTO public.decisions VALUES ('dec_18e8f4866ff23cd7ea1bd26571e9d518', 'req_18e8f4865ff5a47283168e371a062da6', 'ada', 'library', 'approve', '1ca4529b83833c6782f7b707a75a637935b4474c9978f3e825139cb6c2b679b7', '', NULL, 'bad76a148dc7c31ab340a07b08f8f1768682907668751bc9676ff570d746ac5c', NULL, 1893456000000000, NULL, 'ada');
INSERT INTO public.decisions VALUES ('dec_18e8f48676fdfda5b350bde72751ef1f', 'req_18e8f48676c667ca0e8aedaba7c0e865', 'ada', 'library', 'approve', '1ca4529b83833c6782f7b707a75a637935b4474c9978f3e825139cb6c2b679b7', '', NULL, 'dbfe4454b23fa44ad232e5b138480e382e312778b143ddb9445c15ed8d5bfdb9', NULL, 1893456000000000, NULL, 'ada');
INSERT INTO public.decisions VALUES ('dec_18e8f486796e64911ca4f041a593824c', 'req_18e8f48677c51652941d2eb30c51656d', 'ada', 'library', 'approve', '1ca4529b83833c6782f7b707a75a637935b4474c9978f3e825139cb6c2b679b7', '', NULL, '08e13c40b7067f6459418945facd835cb67ce5de5f2a371a1ee3bc7eae1e671d', NULL, 1893456000000000, NULL, 'ada');
INSERT INTO public.decisions VALUES ('dec_18e8f4867d8f014802f6d6cf0817ef51', 'req_18e8f4867bca422599ee59695fbbc4c6', 'ada', 'library', 'approve', '0d7bea1b0a18a7d56b64af0da7de57c370cc2c6df83f4da7413c95aa2248faad', '', '{"amount":40,"to":"eve"}', 'c1240b7b09c5c640d7e2dbfa54d5c635235aa21b63ecbdf53994b4d743d96f2e', NULL, 1893456000000000, NULL, 'ada');
INSERT INTO public.decisions VALUES ('dec_18e8f4868fccbb875e88d0ae2c194721', 'req_18e8f4868ae6af94f5153f7acc70a783', 'ada', 'library', 'reject', 'd8a0eb1ea5ce45bbf5b1fa84c81d9125431b631f878a6de61d53e9c98658e966', 'no', NULL, NULL, NULL, 1893456000000000, NULL, 'ada');
INSERT INTO public.decisions VALUES ('dec_18e8f486d11e9733a4b93d83a0d571f6', 'req_18e8f486ce65f90014e8f5ca7067fac8', 'finn', 'library', 'approve', '1ca4529b83833c6782f7b707a75a637935b4474c9978f3e825139cb6c2b679b7', '', NULL, '72c574b3a06cb2fc7cf38c88441f514361f09062bf87bf1e3ddcbc8b32b566a7', NULL, 1893456120000000, NULL, 'finn');
INSERT INTO public.decisions VALUES ('dec_18e8f486d33f021b01af9d380007b015', 'req_18e8f486d2fd8a8372c2028e9eace010', 'ada', 'library', 'answer', 'a745245c6682108abcee16f6834526d205a6977eabb26037374d0a33ff62688c', '', NULL, NULL, NULL, 1893456120000000, NULL, 'ada');
INSERT INTO public.decisions VALUES ('dec_18e8f48739df9935969a5a6229f72a95', 'req_18e8f486d8bada7ebf8bee7b156321ff', 'ada', 'library', 'approve', '1ca4529b83833c6782f7b707a75a637935b4474c9978f3e825139cb6c2b679b7', '', NULL, 'f305a33943b64ab27e13e530b9812f7d6325813a63976fcbc27381e5af607bf9', NULL, 1893456000000000, NULL, 'ada');
INSERT INTO public.decisions VALUES ('dec_18e8f4873df5c06d2fc08b6169fee9bf', 'req_18e8f486d8676b4afcaac45cbd3de69f', 'ada', 'library', 'approve', '1ca4529b83833c6782f7b707a75a637935b4474c9978f3e825139cb6c2b679b7', '', NULL, '5312843e187a3a48d9bb4576b2f5701c43c38dae1979368a468c0e8fdb06be0e', NULL, 1893456120000000, NULL, 'ada');
INSERT INTO public.events VALUES (1, 755, 'turn_18e8f4864f7864c76f5ac70bf6fe63e2', 1, 'started', '{"text":"look garden"}', 1893456000000000);
INSERT INTO public.events VALUES (2, 757, 'turn_18e8f4864f7864c76f5ac70bf6fe63e2', 2, 'step', '{"step":1}', 1893456000000000);
INSERT INTO public.events VALUES (3, 757, 'turn_18e8f4864f7864c76f5ac70bf6fe63e2', 3, 'text', '{"text":"I call look."}', 1893456000000000);
INSERT INTO public.events VALUES (4, 757, 'turn_18e8f4864f7864c76f5ac70bf6fe63e2', 4, 'proposed', '{"call_id":"call_18e8f48654ef332a179201056ac92418","tool":"look","provider_id":"scripted_20","arguments":"{\"place\":\"garden\"}","risk":"safe"}', 1893456000000000);
INSERT INTO public.events VALUES (5, 757, 'turn_18e8f4864f7864c76f5ac70bf6fe63e2', 5, 'call', '{"call_id":"call_18e8f48654ef332a179201056ac92418","tool":"look","status":"cleared"}', 1893456000000000);
INSERT INTO public.events VALUES (6, 757, 'turn_18e8f4864f7864c76f5ac70bf6fe63e2', 6, 'call', '{"call_id":"call_18e8f48654ef332a179201056ac92418","tool":"look","status":"running"}', 1893456000000000);
INSERT INTO public.events VALUES (7, 758, 'turn_18e8f4864f7864c76f5ac70bf6fe63e2', 7, 'result', '{"call_id":"call_18e8f48654ef332a179201056ac92418","tool":"look","status":"succeeded","output":"\"looked at garden\""}', 1893456000000000);
INSERT INTO public.events VALUES (8, 759, 'turn_18e8f4864f7864c76f5ac70bf6fe63e2', 8, 'step', '{"step":2}', 1893456000000000);
INSERT INTO public.events VALUES (9, 759, 'turn_18e8f4864f7864c76f5ac70bf6fe63e2', 9, 'text', '{"text":"Done: ModelSaid."}', 1893456000000000);
INSERT INTO public.events VALUES (10, 759, 'turn_18e8f4864f7864c76f5ac70bf6fe63e2', 10, 'finished', '{"reason":"stop","model":"scripted (offline, no real model)"}', 1893456000000000);
INSERT INTO public.events VALUES (11, 760, 'turn_18e8f4865fc3f007a380d8440cc902d6', 1, 'started', '{"text":"pay 1"}', 1893456000000000);
INSERT INTO public.events VALUES (12, 762, 'turn_18e8f4865fc3f007a380d8440cc902d6', 2, 'step', '{"step":1}', 1893456000000000);
INSERT INTO public.events VALUES (13, 762, 'turn_18e8f4865fc3f007a380d8440cc902d6', 3, 'text', '{"text":"I call pay."}', 1893456000000000);
INSERT INTO public.events VALUES (14, 762, 'turn_18e8f4865fc3f007a380d8440cc902d6', 4, 'proposed', '{"call_id":"call_18e8f4865ff282653c1f5fe7c654b2a0","tool":"pay","provider_id":"scripted_21","arguments":"{\"amount\":1,\"to\":\"bob\"}","risk":"moderate"}', 1893456000000000);
INSERT INTO public.events VALUES (15, 762, 'turn_18e8f4865fc3f007a380d8440cc902d6', 5, 'call', '{"call_id":"call_18e8f4865ff282653c1f5fe7c654b2a0","tool":"pay","status":"awaiting_approval"}', 1893456000000000);
INSERT INTO public.events VALUES (16, 762, 'turn_18e8f4865fc3f007a380d8440cc902d6', 6, 'pending', '{"request_id":"req_18e8f4865ff5a47283168e371a062da6","call_id":"call_18e8f4865ff282653c1f5fe7c654b2a0","kind":"approval","tool":"pay"}', 1893456000000000);
INSERT INTO public.events VALUES (17, 762, 'turn_18e8f4865fc3f007a380d8440cc902d6', 7, 'waiting', '{"requests":["req_18e8f4865ff5a47283168e371a062da6"]}', 1893456000000000);
INSERT INTO public.events VALUES (18, 764, 'turn_18e8f4865fc3f007a380d8440cc902d6', 8, 'decided', '{"request_id":"req_18e8f4865ff5a47283168e371a062da6","call_id":"call_18e8f4865ff282653c1f5fe7c654b2a0","status":"approved","by":"ada"}', 1893456000000000);
INSERT INTO public.events VALUES (19, 764, 'turn_18e8f4865fc3f007a380d8440cc902d6', 9, 'call', '{"call_id":"call_18e8f4865ff282653c1f5fe7c654b2a0","tool":"pay","status":"cleared"}', 1893456000000000);
INSERT INTO public.events VALUES (20, 764, 'turn_18e8f4865fc3f007a380d8440cc902d6', 10, 'call', '{"call_id":"call_18e8f4865ff282653c1f5fe7c654b2a0","tool":"pay","status":"running"}', 1893456000000000);
INSERT INTO public.events VALUES (21, 766, 'turn_18e8f4865fc3f007a380d8440cc902d6', 11, 'result', '{"call_id":"call_18e8f4865ff282653c1f5fe7c654b2a0","tool":"pay","status":"succeeded","output":"\"paid 1 to bob\""}', 1893456000000000);
INSERT INTO public.events VALUES (22, 767, 'turn_18e8f48675d250d4854c52f7bd4f959d', 1, 'started', '{"text":"stumble 2"}', 1893456000000000);
INSERT INTO public.events VALUES (23, 768, 'turn_18e8f4865fc3f007a380d8440cc902d6', 12, 'step', '{"step":2}', 1893456000000000);
INSERT INTO public.events VALUES (24, 768, 'turn_18e8f4865fc3f007a380d8440cc902d6', 13, 'text', '{"text":"Done: ModelSaid."}', 1893456000000000);
INSERT INTO public.events VALUES (25, 768, 'turn_18e8f4865fc3f007a380d8440cc902d6', 14, 'finished', '{"reason":"stop","model":"scripted (offline, no real model)"}', 1893456000000000);
INSERT INTO public.events VALUES (26, 769, 'turn_18e8f48675d250d4854c52f7bd4f959d', 2, 'step', '{"step":1}', 1893456000000000);
INSERT INTO public.events VALUES (27, 769, 'turn_18e8f48675d250d4854c52f7bd4f959d', 3, 'text', '{"text":"I call stumble."}', 1893456000000000);
INSERT INTO public.events VALUES (28, 769, 'turn_18e8f48675d250d4854c52f7bd4f959d', 4, 'proposed', '{"call_id":"call_18e8f48676c3dcd235393f4c048cd42a","tool":"stumble","provider_id":"scripted_22","arguments":"{\"amount\":2}","risk":"moderate"}', 1893456000000000);
INSERT INTO public.events VALUES (29, 769, 'turn_18e8f48675d250d4854c52f7bd4f959d', 5, 'call', '{"call_id":"call_18e8f48676c3dcd235393f4c048cd42a","tool":"stumble","status":"awaiting_approval"}', 1893456000000000);
INSERT INTO public.events VALUES (30, 769, 'turn_18e8f48675d250d4854c52f7bd4f959d', 6, 'pending', '{"request_id":"req_18e8f48676c667ca0e8aedaba7c0e865","call_id":"call_18e8f48676c3dcd235393f4c048cd42a","kind":"approval","tool":"stumble"}', 1893456000000000);
INSERT INTO public.events VALUES (31, 769, 'turn_18e8f48675d250d4854c52f7bd4f959d', 7, 'waiting', '{"requests":["req_18e8f48676c667ca0e8aedaba7c0e865"]}', 1893456000000000);
INSERT INTO public.events VALUES (32, 770, 'turn_18e8f48675d250d4854c52f7bd4f959d', 8, 'decided', '{"request_id":"req_18e8f48676c667ca0e8aedaba7c0e865","call_id":"call_18e8f48676c3dcd235393f4c048cd42a","status":"approved","by":"ada"}', 1893456000000000);
INSERT INTO public.events VALUES (33, 770, 'turn_18e8f48675d250d4854c52f7bd4f959d', 9, 'call', '{"call_id":"call_18e8f48676c3dcd235393f4c048cd42a","tool":"stumble","status":"cleared"}', 1893456000000000);
INSERT INTO public.events VALUES (34, 770, 'turn_18e8f48675d250d4854c52f7bd4f959d', 10, 'call', '{"call_id":"call_18e8f48676c3dcd235393f4c048cd42a","tool":"stumble","status":"running"}', 1893456000000000);
INSERT INTO public.events VALUES (35, 772, 'turn_18e8f486775dd76631482849b4230de0', 1, 'started', '{"text":"guess 3"}', 1893456000000000);
INSERT INTO public.events VALUES (36, 773, 'turn_18e8f48675d250d4854c52f7bd4f959d', 11, 'result', '{"call_id":"call_18e8f48676c3dcd235393f4c048cd42a","tool":"stumble","status":"failed","output":"{\"error\":\"ValueError: cannot do 2\"}"}', 1893456000000000);
INSERT INTO public.events VALUES (37, 774, 'turn_18e8f48675d250d4854c52f7bd4f959d', 12, 'step', '{"step":2}', 1893456000000000);
INSERT INTO public.events VALUES (38, 774, 'turn_18e8f48675d250d4854c52f7bd4f959d', 13, 'text', '{"text":"Done: ModelSaid."}', 1893456000000000);
INSERT INTO public.events VALUES (39, 774, 'turn_18e8f48675d250d4854c52f7bd4f959d', 14, 'finished', '{"reason":"stop","model":"scripted (offline, no real model)"}', 1893456000000000);
INSERT INTO public.events VALUES (40, 775, 'turn_18e8f486775dd76631482849b4230de0', 2, 'step', '{"step":1}', 1893456000000000);
INSERT INTO public.events VALUES (41, 775, 'turn_18e8f486775dd76631482849b4230de0', 3, 'text', '{"text":"I call guess."}', 1893456000000000);
INSERT INTO public.events VALUES (42, 775, 'turn_18e8f486775dd76631482849b4230de0', 4, 'proposed', '{"call_id":"call_18e8f48677c32ecca05b31643f8d36b9","tool":"guess","provider_id":"scripted_23","arguments":"{\"amount\":3}","risk":"moderate"}', 1893456000000000);
INSERT INTO public.events VALUES (43, 775, 'turn_18e8f486775dd76631482849b4230de0', 5, 'call', '{"call_id":"call_18e8f48677c32ecca05b31643f8d36b9","tool":"guess","status":"awaiting_approval"}', 1893456000000000);
INSERT INTO public.events VALUES (44, 775, 'turn_18e8f486775dd76631482849b4230de0', 6, 'pending', '{"request_id":"req_18e8f48677c51652941d2eb30c51656d","call_id":"call_18e8f48677c32ecca05b31643f8d36b9","kind":"approval","tool":"guess"}', 1893456000000000);
INSERT INTO public.events VALUES (45, 775, 'turn_18e8f486775dd76631482849b4230de0', 7, 'waiting', '{"requests":["req_18e8f48677c51652941d2eb30c51656d"]}', 1893456000000000);
INSERT INTO public.events VALUES (49, 778, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 1, 'started', '{"text":"pay 4"}', 1893456000000000);
INSERT INTO public.events VALUES (46, 777, 'turn_18e8f486775dd76631482849b4230de0', 8, 'decided', '{"request_id":"req_18e8f48677c51652941d2eb30c51656d","call_id":"call_18e8f48677c32ecca05b31643f8d36b9","status":"approved","by":"ada"}', 1893456000000000);
INSERT INTO public.events VALUES (47, 777, 'turn_18e8f486775dd76631482849b4230de0', 9, 'call', '{"call_id":"call_18e8f48677c32ecca05b31643f8d36b9","tool":"guess","status":"cleared"}', 1893456000000000);
INSERT INTO public.events VALUES (48, 777, 'turn_18e8f486775dd76631482849b4230de0', 10, 'call', '{"call_id":"call_18e8f48677c32ecca05b31643f8d36b9","tool":"guess","status":"running"}', 1893456000000000);
INSERT INTO public.events VALUES (52, 781, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 2, 'step', '{"step":1}', 1893456000000000);
INSERT INTO public.events VALUES (53, 781, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 3, 'text', '{"text":"I call pay."}', 1893456000000000);
INSERT INTO public.events VALUES (54, 781, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 4, 'proposed', '{"call_id":"call_18e8f4867bc736e628f56cdb4286fc85","tool":"pay","provider_id":"scripted_24","arguments":"{\"amount\":4,\"to\":\"bob\"}","risk":"moderate"}', 1893456000000000);
INSERT INTO public.events VALUES (55, 781, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 5, 'call', '{"call_id":"call_18e8f4867bc736e628f56cdb4286fc85","tool":"pay","status":"awaiting_approval"}', 1893456000000000);
INSERT INTO public.events VALUES (56, 781, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 6, 'pending', '{"request_id":"req_18e8f4867bca422599ee59695fbbc4c6","call_id":"call_18e8f4867bc736e628f56cdb4286fc85","kind":"approval","tool":"pay"}', 1893456000000000);
INSERT INTO public.events VALUES (57, 781, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 7, 'waiting', '{"requests":["req_18e8f4867bca422599ee59695fbbc4c6"]}', 1893456000000000);
INSERT INTO public.events VALUES (63, 787, 'turn_18e8f48686061e738006596fdb6c395c', 2, 'step', '{"step":1}', 1893456000000000);
INSERT INTO public.events VALUES (64, 787, 'turn_18e8f48686061e738006596fdb6c395c', 3, 'text', '{"text":"I call pay."}', 1893456000000000);
INSERT INTO public.events VALUES (65, 787, 'turn_18e8f48686061e738006596fdb6c395c', 4, 'proposed', '{"call_id":"call_18e8f4868ade88ba60ad21e00716a21e","tool":"pay","provider_id":"scripted_25","arguments":"{\"amount\":5,\"to\":\"bob\"}","risk":"moderate"}', 1893456000000000);
INSERT INTO public.events VALUES (66, 787, 'turn_18e8f48686061e738006596fdb6c395c', 5, 'call', '{"call_id":"call_18e8f4868ade88ba60ad21e00716a21e","tool":"pay","status":"awaiting_approval"}', 1893456000000000);
INSERT INTO public.events VALUES (67, 787, 'turn_18e8f48686061e738006596fdb6c395c', 6, 'pending', '{"request_id":"req_18e8f4868ae6af94f5153f7acc70a783","call_id":"call_18e8f4868ade88ba60ad21e00716a21e","kind":"approval","tool":"pay"}', 1893456000000000);
INSERT INTO public.events VALUES (68, 787, 'turn_18e8f48686061e738006596fdb6c395c', 7, 'waiting', '{"requests":["req_18e8f4868ae6af94f5153f7acc70a783"]}', 1893456000000000);
INSERT INTO public.events VALUES (75, 795, 'turn_18e8f4869a9874f1e58fe997a0db1e8c', 1, 'started', '{"text":"pay 6"}', 1893456000000000);
INSERT INTO public.events VALUES (76, 797, 'turn_18e8f4869a9874f1e58fe997a0db1e8c', 2, 'step', '{"step":1}', 1893456000000000);
INSERT INTO public.events VALUES (77, 797, 'turn_18e8f4869a9874f1e58fe997a0db1e8c', 3, 'text', '{"text":"I call pay."}', 1893456000000000);
INSERT INTO public.events VALUES (78, 797, 'turn_18e8f4869a9874f1e58fe997a0db1e8c', 4, 'proposed', '{"call_id":"call_18e8f4869c517cd25d70fcad9babebf1","tool":"pay","provider_id":"scripted_26","arguments":"{\"amount\":6,\"to\":\"bob\"}","risk":"moderate"}', 1893456000000000);
INSERT INTO public.events VALUES (79, 797, 'turn_18e8f4869a9874f1e58fe997a0db1e8c', 5, 'call', '{"call_id":"call_18e8f4869c517cd25d70fcad9babebf1","tool":"pay","status":"awaiting_approval"}', 1893456000000000);
INSERT INTO public.events VALUES (80, 797, 'turn_18e8f4869a9874f1e58fe997a0db1e8c', 6, 'pending', '{"request_id":"req_18e8f4869c54114b05e36f3eeebc6e89","call_id":"call_18e8f4869c517cd25d70fcad9babebf1","kind":"approval","tool":"pay"}', 1893456000000000);
INSERT INTO public.events VALUES (81, 797, 'turn_18e8f4869a9874f1e58fe997a0db1e8c', 7, 'waiting', '{"requests":["req_18e8f4869c54114b05e36f3eeebc6e89"]}', 1893456000000000);
INSERT INTO public.events VALUES (87, 802, 'turn_18e8f486a17d9c3505339cb76ddff9ef', 1, 'started', '{"text":"pay 7"}', 1893456000000000);
INSERT INTO public.events VALUES (97, 806, 'turn_18e8f486a2083388f142a44cac073ad8', 2, 'step', '{"step":1}', 1893456000000000);
INSERT INTO public.events VALUES (98, 806, 'turn_18e8f486a2083388f142a44cac073ad8', 3, 'text', '{"text":"I call look."}', 1893456000000000);
INSERT INTO public.events VALUES (99, 806, 'turn_18e8f486a2083388f142a44cac073ad8', 4, 'proposed', '{"call_id":"call_18e8f486a2e70a7f86cff37f0d2540a5","tool":"look","provider_id":"scripted_28","arguments":"{\"place\":\"elsewhere\"}","risk":"safe"}', 1893456000000000);
INSERT INTO public.events VALUES (100, 806, 'turn_18e8f486a2083388f142a44cac073ad8', 5, 'call', '{"call_id":"call_18e8f486a2e70a7f86cff37f0d2540a5","tool":"look","status":"cleared"}', 1893456000000000);
INSERT INTO public.events VALUES (101, 806, 'turn_18e8f486a2083388f142a44cac073ad8', 6, 'call', '{"call_id":"call_18e8f486a2e70a7f86cff37f0d2540a5","tool":"look","status":"running"}', 1893456000000000);
INSERT INTO public.events VALUES (103, 808, 'turn_18e8f486a2083388f142a44cac073ad8', 8, 'step', '{"step":2}', 1893456000000000);
INSERT INTO public.events VALUES (104, 808, 'turn_18e8f486a2083388f142a44cac073ad8', 9, 'text', '{"text":"Done: ModelSaid."}', 1893456000000000);
INSERT INTO public.events VALUES (105, 808, 'turn_18e8f486a2083388f142a44cac073ad8', 10, 'finished', '{"reason":"stop","model":"scripted (offline, no real model)"}', 1893456000000000);
INSERT INTO public.events VALUES (107, 811, 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 2, 'step', '{"step":1}', 1893456000000000);
INSERT INTO public.events VALUES (108, 811, 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 3, 'text', '{"text":"I call hurry."}', 1893456000000000);
INSERT INTO public.events VALUES (109, 811, 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 4, 'proposed', '{"call_id":"call_18e8f486a3de267cbbf398268f65ff58","tool":"hurry","provider_id":"scripted_29","arguments":"{\"amount\":8}","risk":"moderate"}', 1893456000000000);
INSERT INTO public.events VALUES (110, 811, 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 5, 'call', '{"call_id":"call_18e8f486a3de267cbbf398268f65ff58","tool":"hurry","status":"awaiting_approval"}', 1893456000000000);
INSERT INTO public.events VALUES (111, 811, 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 6, 'pending', '{"request_id":"req_18e8f486a3e050a042f3b4438b99c0a8","call_id":"call_18e8f486a3de267cbbf398268f65ff58","kind":"approval","tool":"hurry"}', 1893456000000000);
INSERT INTO public.events VALUES (112, 811, 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 7, 'waiting', '{"requests":["req_18e8f486a3e050a042f3b4438b99c0a8"]}', 1893456000000000);
INSERT INTO public.events VALUES (118, 817, 'turn_18e8f486cb6d5156664baf924fdcb80b', 1, 'started', '{"text":"pay 10"}', 1893456120000000);
INSERT INTO public.events VALUES (125, 820, 'turn_18e8f486cd8536364700578841fbcf4a', 1, 'started', '{"text":"wire 11"}', 1893456120000000);
INSERT INTO public.events VALUES (132, 824, 'turn_18e8f486cd8536364700578841fbcf4a', 8, 'call', '{"call_id":"call_18e8f486ce62792d414fed7f1a6731bb","tool":"wire","status":"awaiting_approval"}', 1893456120000000);
INSERT INTO public.events VALUES (134, 826, 'turn_18e8f486d163122c0abc36dcb1116450', 2, 'step', '{"step":1}', 1893456120000000);
INSERT INTO public.events VALUES (135, 826, 'turn_18e8f486d163122c0abc36dcb1116450', 3, 'text', '{"text":"I call pay_by_form."}', 1893456120000000);
INSERT INTO public.events VALUES (136, 826, 'turn_18e8f486d163122c0abc36dcb1116450', 4, 'proposed', '{"call_id":"call_18e8f486d1930db38b6c45ef302b3896","tool":"pay_by_form","provider_id":"scripted_32","arguments":"{\"amount\":12}","risk":"moderate"}', 1893456120000000);
INSERT INTO public.events VALUES (137, 826, 'turn_18e8f486d163122c0abc36dcb1116450', 5, 'call', '{"call_id":"call_18e8f486d1930db38b6c45ef302b3896","tool":"pay_by_form","status":"awaiting_input"}', 1893456120000000);
INSERT INTO public.events VALUES (138, 826, 'turn_18e8f486d163122c0abc36dcb1116450', 6, 'pending', '{"request_id":"req_18e8f486d19701fcbc5409edaa70baca","call_id":"call_18e8f486d1930db38b6c45ef302b3896","kind":"input","tool":"pay_by_form"}', 1893456120000000);
INSERT INTO public.events VALUES (50, 780, 'turn_18e8f486775dd76631482849b4230de0', 11, 'call', '{"call_id":"call_18e8f48677c32ecca05b31643f8d36b9","tool":"guess","status":"in_doubt"}', 1893456000000000);
INSERT INTO public.events VALUES (51, 780, 'turn_18e8f486775dd76631482849b4230de0', 12, 'pending', '{"request_id":"req_18e8f4867bd02cef6f40c700ae8e2522","call_id":"call_18e8f48677c32ecca05b31643f8d36b9","kind":"outcome","tool":"guess"}', 1893456000000000);
INSERT INTO public.events VALUES (58, 783, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 8, 'decided', '{"request_id":"req_18e8f4867bca422599ee59695fbbc4c6","call_id":"call_18e8f4867bc736e628f56cdb4286fc85","status":"approved","by":"ada"}', 1893456000000000);
INSERT INTO public.events VALUES (59, 783, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 9, 'call', '{"call_id":"call_18e8f4867bc736e628f56cdb4286fc85","tool":"pay","status":"proposed"}', 1893456000000000);
INSERT INTO public.events VALUES (60, 783, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 10, 'call', '{"call_id":"call_18e8f4867bc736e628f56cdb4286fc85","tool":"pay","status":"cleared"}', 1893456000000000);
INSERT INTO public.events VALUES (61, 783, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 11, 'call', '{"call_id":"call_18e8f4867bc736e628f56cdb4286fc85","tool":"pay","status":"running"}', 1893456000000000);
INSERT INTO public.events VALUES (62, 785, 'turn_18e8f48686061e738006596fdb6c395c', 1, 'started', '{"text":"pay 5"}', 1893456000000000);
INSERT INTO public.events VALUES (69, 789, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 12, 'result', '{"call_id":"call_18e8f4867bc736e628f56cdb4286fc85","tool":"pay","status":"succeeded","output":"\"paid 40 to eve\""}', 1893456000000000);
INSERT INTO public.events VALUES (70, 791, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 13, 'step', '{"step":2}', 1893456000000000);
INSERT INTO public.events VALUES (71, 791, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 14, 'text', '{"text":"Done: ModelSaid."}', 1893456000000000);
INSERT INTO public.events VALUES (72, 791, 'turn_18e8f48679e186ae2dd32f7ad668ad91', 15, 'finished', '{"reason":"stop","model":"scripted (offline, no real model)"}', 1893456000000000);
INSERT INTO public.events VALUES (73, 793, 'turn_18e8f48686061e738006596fdb6c395c', 8, 'decided', '{"request_id":"req_18e8f4868ae6af94f5153f7acc70a783","call_id":"call_18e8f4868ade88ba60ad21e00716a21e","status":"rejected","by":"ada"}', 1893456000000000);
INSERT INTO public.events VALUES (74, 793, 'turn_18e8f48686061e738006596fdb6c395c', 9, 'result', '{"call_id":"call_18e8f4868ade88ba60ad21e00716a21e","tool":"pay","status":"rejected","output":"{\"error\":\"Tool call refused by the user. User''s feedback: no\"}"}', 1893456000000000);
INSERT INTO public.events VALUES (82, 798, 'turn_18e8f48686061e738006596fdb6c395c', 10, 'step', '{"step":2}', 1893456000000000);
INSERT INTO public.events VALUES (83, 798, 'turn_18e8f48686061e738006596fdb6c395c', 11, 'text', '{"text":"Done: ModelSaid."}', 1893456000000000);
INSERT INTO public.events VALUES (84, 798, 'turn_18e8f48686061e738006596fdb6c395c', 12, 'finished', '{"reason":"stop","model":"scripted (offline, no real model)"}', 1893456000000000);
INSERT INTO public.events VALUES (85, 800, 'turn_18e8f4869a9874f1e58fe997a0db1e8c', 8, 'result', '{"call_id":"call_18e8f4869c517cd25d70fcad9babebf1","tool":"pay","status":"cancelled","output":"{\"error\":\"The user stopped the turn before this call ran.\"}"}', 1893456000000000);
INSERT INTO public.events VALUES (86, 800, 'turn_18e8f4869a9874f1e58fe997a0db1e8c', 9, 'finished', '{"reason":"stopped"}', 1893456000000000);
INSERT INTO public.events VALUES (88, 803, 'turn_18e8f486a17d9c3505339cb76ddff9ef', 2, 'step', '{"step":1}', 1893456000000000);
INSERT INTO public.events VALUES (89, 803, 'turn_18e8f486a17d9c3505339cb76ddff9ef', 3, 'text', '{"text":"I call pay."}', 1893456000000000);
INSERT INTO public.events VALUES (90, 803, 'turn_18e8f486a17d9c3505339cb76ddff9ef', 4, 'proposed', '{"call_id":"call_18e8f486a1ea0138b91c0850d0f77272","tool":"pay","provider_id":"scripted_27","arguments":"{\"amount\":7,\"to\":\"bob\"}","risk":"moderate"}', 1893456000000000);
INSERT INTO public.events VALUES (91, 803, 'turn_18e8f486a17d9c3505339cb76ddff9ef', 5, 'call', '{"call_id":"call_18e8f486a1ea0138b91c0850d0f77272","tool":"pay","status":"awaiting_approval"}', 1893456000000000);
INSERT INTO public.events VALUES (92, 803, 'turn_18e8f486a17d9c3505339cb76ddff9ef', 6, 'pending', '{"request_id":"req_18e8f486a1ed4ab4a33f0726f4dc3b4c","call_id":"call_18e8f486a1ea0138b91c0850d0f77272","kind":"approval","tool":"pay"}', 1893456000000000);
INSERT INTO public.events VALUES (93, 803, 'turn_18e8f486a17d9c3505339cb76ddff9ef', 7, 'waiting', '{"requests":["req_18e8f486a1ed4ab4a33f0726f4dc3b4c"]}', 1893456000000000);
INSERT INTO public.events VALUES (94, 804, 'turn_18e8f486a17d9c3505339cb76ddff9ef', 8, 'result', '{"call_id":"call_18e8f486a1ea0138b91c0850d0f77272","tool":"pay","status":"superseded","output":"{\"error\":\"The call was cancelled because the user sent a new message.\"}"}', 1893456000000000);
INSERT INTO public.events VALUES (95, 804, 'turn_18e8f486a17d9c3505339cb76ddff9ef', 9, 'finished', '{"reason":"stopped"}', 1893456000000000);
INSERT INTO public.events VALUES (96, 804, 'turn_18e8f486a2083388f142a44cac073ad8', 1, 'started', '{"text":"look elsewhere"}', 1893456000000000);
INSERT INTO public.events VALUES (102, 807, 'turn_18e8f486a2083388f142a44cac073ad8', 7, 'result', '{"call_id":"call_18e8f486a2e70a7f86cff37f0d2540a5","tool":"look","status":"succeeded","output":"\"looked at elsewhere\""}', 1893456000000000);
INSERT INTO public.events VALUES (106, 809, 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 1, 'started', '{"text":"hurry 8"}', 1893456000000000);
INSERT INTO public.events VALUES (113, 813, 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 8, 'result', '{"call_id":"call_18e8f486a3de267cbbf398268f65ff58","tool":"hurry","status":"expired","output":"{\"error\":\"Approval request timed out.\"}"}', 1893456120000000);
INSERT INTO public.events VALUES (114, 813, 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 9, 'decided', '{"request_id":"req_18e8f486a3e050a042f3b4438b99c0a8","call_id":"call_18e8f486a3de267cbbf398268f65ff58","status":"expired","by":"deadline"}', 1893456120000000);
INSERT INTO public.events VALUES (115, 815, 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 10, 'step', '{"step":2}', 1893456120000000);
INSERT INTO public.events VALUES (116, 815, 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 11, 'text', '{"text":"Done: ModelSaid."}', 1893456120000000);
INSERT INTO public.events VALUES (117, 815, 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 12, 'finished', '{"reason":"stop","model":"scripted (offline, no real model)"}', 1893456120000000);
INSERT INTO public.events VALUES (119, 818, 'turn_18e8f486cb6d5156664baf924fdcb80b', 2, 'step', '{"step":1}', 1893456120000000);
INSERT INTO public.events VALUES (120, 818, 'turn_18e8f486cb6d5156664baf924fdcb80b', 3, 'text', '{"text":"I call pay."}', 1893456120000000);
INSERT INTO public.events VALUES (121, 818, 'turn_18e8f486cb6d5156664baf924fdcb80b', 4, 'proposed', '{"call_id":"call_18e8f486cd62bd6b1e8b43bafee8714a","tool":"pay","provider_id":"scripted_30","arguments":"{\"amount\":10,\"to\":\"bob\"}","risk":"moderate"}', 1893456120000000);
INSERT INTO public.events VALUES (122, 818, 'turn_18e8f486cb6d5156664baf924fdcb80b', 5, 'call', '{"call_id":"call_18e8f486cd62bd6b1e8b43bafee8714a","tool":"pay","status":"awaiting_approval"}', 1893456120000000);
INSERT INTO public.events VALUES (123, 818, 'turn_18e8f486cb6d5156664baf924fdcb80b', 6, 'pending', '{"request_id":"req_18e8f486cd672d219fd398f68d28fc13","call_id":"call_18e8f486cd62bd6b1e8b43bafee8714a","kind":"approval","tool":"pay"}', 1893456120000000);
INSERT INTO public.events VALUES (124, 818, 'turn_18e8f486cb6d5156664baf924fdcb80b', 7, 'waiting', '{"requests":["req_18e8f486cd672d219fd398f68d28fc13"]}', 1893456120000000);
INSERT INTO public.events VALUES (126, 822, 'turn_18e8f486cd8536364700578841fbcf4a', 2, 'step', '{"step":1}', 1893456120000000);
INSERT INTO public.events VALUES (127, 822, 'turn_18e8f486cd8536364700578841fbcf4a', 3, 'text', '{"text":"I call wire."}', 1893456120000000);
INSERT INTO public.events VALUES (128, 822, 'turn_18e8f486cd8536364700578841fbcf4a', 4, 'proposed', '{"call_id":"call_18e8f486ce62792d414fed7f1a6731bb","tool":"wire","provider_id":"scripted_31","arguments":"{\"amount\":11}","risk":"dangerous"}', 1893456120000000);
INSERT INTO public.events VALUES (129, 822, 'turn_18e8f486cd8536364700578841fbcf4a', 5, 'call', '{"call_id":"call_18e8f486ce62792d414fed7f1a6731bb","tool":"wire","status":"awaiting_approval"}', 1893456120000000);
INSERT INTO public.events VALUES (130, 822, 'turn_18e8f486cd8536364700578841fbcf4a', 6, 'pending', '{"request_id":"req_18e8f486ce65f90014e8f5ca7067fac8","call_id":"call_18e8f486ce62792d414fed7f1a6731bb","kind":"approval","tool":"wire"}', 1893456120000000);
INSERT INTO public.events VALUES (131, 822, 'turn_18e8f486cd8536364700578841fbcf4a', 7, 'waiting', '{"requests":["req_18e8f486ce65f90014e8f5ca7067fac8"]}', 1893456120000000);
INSERT INTO public.events VALUES (133, 825, 'turn_18e8f486d163122c0abc36dcb1116450', 1, 'started', '{"text":"pay_by_form 12"}', 1893456120000000);
INSERT INTO public.events VALUES (140, 827, 'turn_18e8f486d1d9ce16ed6faf77a9a5ef8c', 1, 'started', '{"text":"pay_by_form 13"}', 1893456120000000);
INSERT INTO public.events VALUES (148, 831, 'turn_18e8f486d2d7c588e57f30996c19c440', 1, 'started', '{"text":"pay_by_form 14"}', 1893456120000000);
INSERT INTO public.events VALUES (159, 836, 'turn_18e8f486d53e8b3a49e08eb81f02da50', 1, 'started', '{"text":"sign 15"}', 1893456120000000);
INSERT INTO public.events VALUES (161, 838, 'turn_18e8f486d2d7c588e57f30996c19c440', 13, 'step', '{"step":2}', 1893456120000000);
INSERT INTO public.events VALUES (162, 838, 'turn_18e8f486d2d7c588e57f30996c19c440', 14, 'text', '{"text":"Done: ModelSaid."}', 1893456120000000);
INSERT INTO public.events VALUES (163, 838, 'turn_18e8f486d2d7c588e57f30996c19c440', 15, 'finished', '{"reason":"stop","model":"scripted (offline, no real model)"}', 1893456120000000);
INSERT INTO public.events VALUES (170, 840, 'turn_18e8f486d6ee610fdef0cb02731b05af', 1, 'started', '{"text":"order 16"}', 1893456120000000);
INSERT INTO public.events VALUES (176, 843, 'turn_18e8f486d6ee610fdef0cb02731b05af', 7, 'call', '{"call_id":"call_18e8f486d7184c0c74addd0558a44054","tool":"order","status":"awaiting_result"}', 1893456120000000);
INSERT INTO public.events VALUES (177, 843, 'turn_18e8f486d6ee610fdef0cb02731b05af', 8, 'pending', '{"request_id":"req_18e8f486d753a55ebd0443278eadd220","call_id":"call_18e8f486d7184c0c74addd0558a44054","kind":"result","tool":"order"}', 1893456120000000);
INSERT INTO public.events VALUES (179, 845, 'turn_18e8f486d7f20002ca713e73da197f47', 2, 'step', '{"step":1}', 1893456120000000);
INSERT INTO public.events VALUES (180, 845, 'turn_18e8f486d7f20002ca713e73da197f47', 3, 'text', '{"text":"I call pay."}', 1893456120000000);
INSERT INTO public.events VALUES (181, 845, 'turn_18e8f486d7f20002ca713e73da197f47', 4, 'proposed', '{"call_id":"call_18e8f486d8643ecb21de677ba66912d7","tool":"pay","provider_id":"scripted_37","arguments":"{\"amount\":17,\"to\":\"bob\"}","risk":"moderate"}', 1893456120000000);
INSERT INTO public.events VALUES (182, 845, 'turn_18e8f486d7f20002ca713e73da197f47', 5, 'call', '{"call_id":"call_18e8f486d8643ecb21de677ba66912d7","tool":"pay","status":"awaiting_approval"}', 1893456120000000);
INSERT INTO public.events VALUES (183, 845, 'turn_18e8f486d7f20002ca713e73da197f47', 6, 'pending', '{"request_id":"req_18e8f486d8676b4afcaac45cbd3de69f","call_id":"call_18e8f486d8643ecb21de677ba66912d7","kind":"approval","tool":"pay"}', 1893456120000000);
INSERT INTO public.events VALUES (184, 845, 'turn_18e8f486d7f20002ca713e73da197f47', 7, 'waiting', '{"requests":["req_18e8f486d8676b4afcaac45cbd3de69f"]}', 1893456120000000);
INSERT INTO public.events VALUES (186, 848, 'turn_18e8f486d89a84049ede666376001ab2', 2, 'step', '{"step":1}', 1893456120000000);
INSERT INTO public.events VALUES (187, 848, 'turn_18e8f486d89a84049ede666376001ab2', 3, 'text', '{"text":"I call ship."}', 1893456120000000);
INSERT INTO public.events VALUES (188, 848, 'turn_18e8f486d89a84049ede666376001ab2', 4, 'proposed', '{"call_id":"call_18e8f486d8b8d027ebf14859b6f6219e","tool":"ship","provider_id":"scripted_38","arguments":"{\"amount\":18}","risk":"moderate"}', 1893456120000000);
INSERT INTO public.events VALUES (189, 848, 'turn_18e8f486d89a84049ede666376001ab2', 5, 'call', '{"call_id":"call_18e8f486d8b8d027ebf14859b6f6219e","tool":"ship","status":"awaiting_approval"}', 1893456120000000);
INSERT INTO public.events VALUES (190, 848, 'turn_18e8f486d89a84049ede666376001ab2', 6, 'pending', '{"request_id":"req_18e8f486d8bada7ebf8bee7b156321ff","call_id":"call_18e8f486d8b8d027ebf14859b6f6219e","kind":"approval","tool":"ship"}', 1893456120000000);
INSERT INTO public.events VALUES (191, 848, 'turn_18e8f486d89a84049ede666376001ab2', 7, 'waiting', '{"requests":["req_18e8f486d8bada7ebf8bee7b156321ff"]}', 1893456120000000);
INSERT INTO public.events VALUES (139, 826, 'turn_18e8f486d163122c0abc36dcb1116450', 7, 'waiting', '{"requests":["req_18e8f486d19701fcbc5409edaa70baca"]}', 1893456120000000);
INSERT INTO public.events VALUES (141, 829, 'turn_18e8f486d1d9ce16ed6faf77a9a5ef8c', 2, 'step', '{"step":1}', 1893456120000000);
INSERT INTO public.events VALUES (142, 829, 'turn_18e8f486d1d9ce16ed6faf77a9a5ef8c', 3, 'text', '{"text":"I call pay_by_form."}', 1893456120000000);
INSERT INTO public.events VALUES (143, 829, 'turn_18e8f486d1d9ce16ed6faf77a9a5ef8c', 4, 'proposed', '{"call_id":"call_18e8f486d21b93e2bd8373072e6f068b","tool":"pay_by_form","provider_id":"scripted_33","arguments":"{\"amount\":13}","risk":"moderate"}', 1893456120000000);
INSERT INTO public.events VALUES (144, 829, 'turn_18e8f486d1d9ce16ed6faf77a9a5ef8c', 5, 'call', '{"call_id":"call_18e8f486d21b93e2bd8373072e6f068b","tool":"pay_by_form","status":"awaiting_input"}', 1893456120000000);
INSERT INTO public.events VALUES (145, 829, 'turn_18e8f486d1d9ce16ed6faf77a9a5ef8c', 6, 'pending', '{"request_id":"req_18e8f486d21eff7b47d2d6a741e2c6cc","call_id":"call_18e8f486d21b93e2bd8373072e6f068b","kind":"input","tool":"pay_by_form"}', 1893456120000000);
INSERT INTO public.events VALUES (146, 829, 'turn_18e8f486d1d9ce16ed6faf77a9a5ef8c', 7, 'waiting', '{"requests":["req_18e8f486d21eff7b47d2d6a741e2c6cc"]}', 1893456120000000);
INSERT INTO public.events VALUES (149, 832, 'turn_18e8f486d2d7c588e57f30996c19c440', 2, 'step', '{"step":1}', 1893456120000000);
INSERT INTO public.events VALUES (150, 832, 'turn_18e8f486d2d7c588e57f30996c19c440', 3, 'text', '{"text":"I call pay_by_form."}', 1893456120000000);
INSERT INTO public.events VALUES (151, 832, 'turn_18e8f486d2d7c588e57f30996c19c440', 4, 'proposed', '{"call_id":"call_18e8f486d2f9b53f383209d95db57bd0","tool":"pay_by_form","provider_id":"scripted_34","arguments":"{\"amount\":14}","risk":"moderate"}', 1893456120000000);
INSERT INTO public.events VALUES (152, 832, 'turn_18e8f486d2d7c588e57f30996c19c440', 5, 'call', '{"call_id":"call_18e8f486d2f9b53f383209d95db57bd0","tool":"pay_by_form","status":"awaiting_input"}', 1893456120000000);
INSERT INTO public.events VALUES (153, 832, 'turn_18e8f486d2d7c588e57f30996c19c440', 6, 'pending', '{"request_id":"req_18e8f486d2fd8a8372c2028e9eace010","call_id":"call_18e8f486d2f9b53f383209d95db57bd0","kind":"input","tool":"pay_by_form"}', 1893456120000000);
INSERT INTO public.events VALUES (154, 832, 'turn_18e8f486d2d7c588e57f30996c19c440', 7, 'waiting', '{"requests":["req_18e8f486d2fd8a8372c2028e9eace010"]}', 1893456120000000);
INSERT INTO public.events VALUES (164, 839, 'turn_18e8f486d53e8b3a49e08eb81f02da50', 2, 'step', '{"step":1}', 1893456120000000);
INSERT INTO public.events VALUES (165, 839, 'turn_18e8f486d53e8b3a49e08eb81f02da50', 3, 'text', '{"text":"I call sign."}', 1893456120000000);
INSERT INTO public.events VALUES (166, 839, 'turn_18e8f486d53e8b3a49e08eb81f02da50', 4, 'proposed', '{"call_id":"call_18e8f486d62ab67dff644e5f5f9f8a95","tool":"sign","provider_id":"scripted_35","arguments":"{\"amount\":15}","risk":"moderate"}', 1893456120000000);
INSERT INTO public.events VALUES (167, 839, 'turn_18e8f486d53e8b3a49e08eb81f02da50', 5, 'call', '{"call_id":"call_18e8f486d62ab67dff644e5f5f9f8a95","tool":"sign","status":"awaiting_result"}', 1893456120000000);
INSERT INTO public.events VALUES (168, 839, 'turn_18e8f486d53e8b3a49e08eb81f02da50', 6, 'pending', '{"request_id":"req_18e8f486d62d63a5290207843de91f21","call_id":"call_18e8f486d62ab67dff644e5f5f9f8a95","kind":"result","tool":"sign"}', 1893456120000000);
INSERT INTO public.events VALUES (169, 839, 'turn_18e8f486d53e8b3a49e08eb81f02da50', 7, 'waiting', '{"requests":["req_18e8f486d62d63a5290207843de91f21"]}', 1893456120000000);
INSERT INTO public.events VALUES (171, 841, 'turn_18e8f486d6ee610fdef0cb02731b05af', 2, 'step', '{"step":1}', 1893456120000000);
INSERT INTO public.events VALUES (172, 841, 'turn_18e8f486d6ee610fdef0cb02731b05af', 3, 'text', '{"text":"I call order."}', 1893456120000000);
INSERT INTO public.events VALUES (173, 841, 'turn_18e8f486d6ee610fdef0cb02731b05af', 4, 'proposed', '{"call_id":"call_18e8f486d7184c0c74addd0558a44054","tool":"order","provider_id":"scripted_36","arguments":"{\"amount\":16}","risk":"moderate"}', 1893456120000000);
INSERT INTO public.events VALUES (174, 841, 'turn_18e8f486d6ee610fdef0cb02731b05af', 5, 'call', '{"call_id":"call_18e8f486d7184c0c74addd0558a44054","tool":"order","status":"cleared"}', 1893456120000000);
INSERT INTO public.events VALUES (175, 841, 'turn_18e8f486d6ee610fdef0cb02731b05af', 6, 'call', '{"call_id":"call_18e8f486d7184c0c74addd0558a44054","tool":"order","status":"running"}', 1893456120000000);
INSERT INTO public.events VALUES (178, 844, 'turn_18e8f486d7f20002ca713e73da197f47', 1, 'started', '{"text":"pay 17"}', 1893456120000000);
INSERT INTO public.events VALUES (185, 847, 'turn_18e8f486d89a84049ede666376001ab2', 1, 'started', '{"text":"ship 18"}', 1893456120000000);
INSERT INTO public.events VALUES (147, 830, 'turn_18e8f486d1d9ce16ed6faf77a9a5ef8c', 8, 'call', '{"call_id":"call_18e8f486d21b93e2bd8373072e6f068b","tool":"pay_by_form","status":"awaiting_input"}', 1893456120000000);
INSERT INTO public.events VALUES (155, 833, 'turn_18e8f486d2d7c588e57f30996c19c440', 8, 'decided', '{"request_id":"req_18e8f486d2fd8a8372c2028e9eace010","call_id":"call_18e8f486d2f9b53f383209d95db57bd0","status":"answered","by":"ada"}', 1893456120000000);
INSERT INTO public.events VALUES (156, 833, 'turn_18e8f486d2d7c588e57f30996c19c440', 9, 'call', '{"call_id":"call_18e8f486d2f9b53f383209d95db57bd0","tool":"pay_by_form","status":"proposed"}', 1893456120000000);
INSERT INTO public.events VALUES (157, 833, 'turn_18e8f486d2d7c588e57f30996c19c440', 10, 'call', '{"call_id":"call_18e8f486d2f9b53f383209d95db57bd0","tool":"pay_by_form","status":"cleared"}', 1893456120000000);
INSERT INTO public.events VALUES (158, 833, 'turn_18e8f486d2d7c588e57f30996c19c440', 11, 'call', '{"call_id":"call_18e8f486d2f9b53f383209d95db57bd0","tool":"pay_by_form","status":"running"}', 1893456120000000);
INSERT INTO public.events VALUES (160, 837, 'turn_18e8f486d2d7c588e57f30996c19c440', 12, 'result', '{"call_id":"call_18e8f486d2f9b53f383209d95db57bd0","tool":"pay_by_form","status":"succeeded","output":"\"paid 14 to bob with [secret]\""}', 1893456120000000);
INSERT INTO public.events VALUES (192, 856, 'turn_18e8f486d89a84049ede666376001ab2', 8, 'decided', '{"request_id":"req_18e8f486d8bada7ebf8bee7b156321ff","call_id":"call_18e8f486d8b8d027ebf14859b6f6219e","status":"approved","by":"ada"}', 1893456000000000);
INSERT INTO public.events VALUES (193, 856, 'turn_18e8f486d89a84049ede666376001ab2', 9, 'call', '{"call_id":"call_18e8f486d8b8d027ebf14859b6f6219e","tool":"ship","status":"cleared"}', 1893456000000000);
INSERT INTO public.events VALUES (194, 856, 'turn_18e8f486d89a84049ede666376001ab2', 10, 'call', '{"call_id":"call_18e8f486d8b8d027ebf14859b6f6219e","tool":"ship","status":"running"}', 1893456000000000);
INSERT INTO public.events VALUES (195, 858, 'turn_18e8f486d7f20002ca713e73da197f47', 8, 'decided', '{"request_id":"req_18e8f486d8676b4afcaac45cbd3de69f","call_id":"call_18e8f486d8643ecb21de677ba66912d7","status":"approved","by":"ada"}', 1893456120000000);
INSERT INTO public.events VALUES (196, 858, 'turn_18e8f486d7f20002ca713e73da197f47', 9, 'call', '{"call_id":"call_18e8f486d8643ecb21de677ba66912d7","tool":"pay","status":"cleared"}', 1893456120000000);
INSERT INTO public.facts VALUES ('vault_canary', 'v1.test.e2SaJtKQj3iv312P4qhEBrYQ4i763abPIt3_n5TiW34-rg');
INSERT INTO public.messages VALUES ('msg_18e8f4864f7addd463c9dfe58ea7d278', 'conv_18e8f4864f79dc6a986fb16ce9fe4ab8', 'turn_18e8f4864f7864c76f5ac70bf6fe63e2', 1, 'user', 'look garden', NULL, 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f48654eb8cce57f5ca078597340b', 'conv_18e8f4864f79dc6a986fb16ce9fe4ab8', 'turn_18e8f4864f7864c76f5ac70bf6fe63e2', 2, 'assistant', 'I call look.', '{"text":"I call look.","reasoning":"","proposals":[{"provider_id":"scripted_20","tool":"look","arguments":"{\"place\": \"garden\"}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f4865f8c415eee736033ed4f5193', 'conv_18e8f4864f79dc6a986fb16ce9fe4ab8', 'turn_18e8f4864f7864c76f5ac70bf6fe63e2', 3, 'assistant', 'Done: ModelSaid.', '{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f4865fd2d17b92f96fd41c2cde15', 'conv_18e8f4865fc51bed8331caab1113bad5', 'turn_18e8f4865fc3f007a380d8440cc902d6', 1, 'user', 'pay 1', NULL, 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f4865fe871fd61a1df672a37308e', 'conv_18e8f4865fc51bed8331caab1113bad5', 'turn_18e8f4865fc3f007a380d8440cc902d6', 2, 'assistant', 'I call pay.', '{"text":"I call pay.","reasoning":"","proposals":[{"provider_id":"scripted_21","tool":"pay","arguments":"{\"amount\": 1}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f4867608056c1f384b6156404b4a', 'conv_18e8f48676079395d40ced90c3b59f30', 'turn_18e8f48675d250d4854c52f7bd4f959d', 1, 'user', 'stumble 2', NULL, 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f4867658d7c7e7c3368b3db7c4dc', 'conv_18e8f4865fc51bed8331caab1113bad5', 'turn_18e8f4865fc3f007a380d8440cc902d6', 3, 'assistant', 'Done: ModelSaid.', '{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f486775ec003f8d0111665494027', 'conv_18e8f486775e5631e0fc9288f391442a', 'turn_18e8f486775dd76631482849b4230de0', 1, 'user', 'guess 3', NULL, 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f48676c115ba165c768cfe529526', 'conv_18e8f48676079395d40ced90c3b59f30', 'turn_18e8f48675d250d4854c52f7bd4f959d', 2, 'assistant', 'I call stumble.', '{"text":"I call stumble.","reasoning":"","proposals":[{"provider_id":"scripted_22","tool":"stumble","arguments":"{\"amount\": 2}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f48677930d7b8ad11c7afada6c42', 'conv_18e8f48676079395d40ced90c3b59f30', 'turn_18e8f48675d250d4854c52f7bd4f959d', 3, 'assistant', 'Done: ModelSaid.', '{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f48677c1a82e56deca0f879c1d99', 'conv_18e8f486775e5631e0fc9288f391442a', 'turn_18e8f486775dd76631482849b4230de0', 2, 'assistant', 'I call guess.', '{"text":"I call guess.","reasoning":"","proposals":[{"provider_id":"scripted_23","tool":"guess","arguments":"{\"amount\": 3}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 1, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f48679e29a8560397d0725c9a52a', 'conv_18e8f48679e21528d70901b22840ee14', 'turn_18e8f48679e186ae2dd32f7ad668ad91', 1, 'user', 'pay 4', NULL, 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f486860b5cf447cfab0966f19d7c', 'conv_18e8f486860704a34b6dcf2d82865693', 'turn_18e8f48686061e738006596fdb6c395c', 1, 'user', 'pay 5', NULL, 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f4867bc43728ce18ee30ec1b959a', 'conv_18e8f48679e21528d70901b22840ee14', 'turn_18e8f48679e186ae2dd32f7ad668ad91', 2, 'assistant', 'I call pay.', '{"text":"I call pay.","reasoning":"","proposals":[{"provider_id":"scripted_24","tool":"pay","arguments":"{\"amount\": 4}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f4868f30585f727d12b6d595a82a', 'conv_18e8f48679e21528d70901b22840ee14', 'turn_18e8f48679e186ae2dd32f7ad668ad91', 3, 'assistant', 'Done: ModelSaid.', '{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f4868adbac1d04af7be24bdb1b87', 'conv_18e8f486860704a34b6dcf2d82865693', 'turn_18e8f48686061e738006596fdb6c395c', 2, 'assistant', 'I call pay.', '{"text":"I call pay.","reasoning":"","proposals":[{"provider_id":"scripted_25","tool":"pay","arguments":"{\"amount\": 5}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f4869a9a1648a6ad8ae0eb1309d4', 'conv_18e8f4869a996fb5aa7adb207f59e002', 'turn_18e8f4869a9874f1e58fe997a0db1e8c', 1, 'user', 'pay 6', NULL, 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f4869c41b15a8addc5fb5842fe39', 'conv_18e8f486860704a34b6dcf2d82865693', 'turn_18e8f48686061e738006596fdb6c395c', 3, 'assistant', 'Done: ModelSaid.', '{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f4869c4e5c7e47a27baac55f012d', 'conv_18e8f4869a996fb5aa7adb207f59e002', 'turn_18e8f4869a9874f1e58fe997a0db1e8c', 2, 'assistant', 'I call pay.', '{"text":"I call pay.","reasoning":"","proposals":[{"provider_id":"scripted_26","tool":"pay","arguments":"{\"amount\": 6}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f486a17ef7fd018737ff01146871', 'conv_18e8f486a17e821e0215d77a88f5a683', 'turn_18e8f486a17d9c3505339cb76ddff9ef', 1, 'user', 'pay 7', NULL, 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f486a1e79943f5d0023ab3a3ce28', 'conv_18e8f486a17e821e0215d77a88f5a683', 'turn_18e8f486a17d9c3505339cb76ddff9ef', 2, 'assistant', 'I call pay.', '{"text":"I call pay.","reasoning":"","proposals":[{"provider_id":"scripted_27","tool":"pay","arguments":"{\"amount\": 7}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f486a27450c2c191da267caf67e9', 'conv_18e8f486a17e821e0215d77a88f5a683', 'turn_18e8f486a2083388f142a44cac073ad8', 3, 'user', 'look elsewhere', NULL, 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f486a2e4e3ea273ee15f76beb3c0', 'conv_18e8f486a17e821e0215d77a88f5a683', 'turn_18e8f486a2083388f142a44cac073ad8', 4, 'assistant', 'I call look.', '{"text":"I call look.","reasoning":"","proposals":[{"provider_id":"scripted_28","tool":"look","arguments":"{\"place\": \"elsewhere\"}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f486a3bc42bd35b299529f4d9580', 'conv_18e8f486a3bbcc2a854cb2cba6c528ad', 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 1, 'user', 'hurry 8', NULL, 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f486c8b816718f5cfdbd9a0247bc', 'conv_18e8f486a3bbcc2a854cb2cba6c528ad', 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 3, 'assistant', 'Done: ModelSaid.', '{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486cd5fd9ffbebe11675fa7230d', 'conv_18e8f486cb6e5433e0afd60282004736', 'turn_18e8f486cb6d5156664baf924fdcb80b', 2, 'assistant', 'I call pay.', '{"text":"I call pay.","reasoning":"","proposals":[{"provider_id":"scripted_30","tool":"pay","arguments":"{\"amount\": 10}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 1, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486ce5fa9a1e58a3936be88f635', 'conv_18e8f486cd85d6559968694c7efb95b1', 'turn_18e8f486cd8536364700578841fbcf4a', 2, 'assistant', 'I call wire.', '{"text":"I call wire.","reasoning":"","proposals":[{"provider_id":"scripted_31","tool":"wire","arguments":"{\"amount\": 11}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 1, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d1645cf0732e91de698ed18a', 'conv_18e8f486d163d042eb8567049433708b', 'turn_18e8f486d163122c0abc36dcb1116450', 1, 'user', 'pay_by_form 12', NULL, 0, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d1db02d364684f9f3bf7227c', 'conv_18e8f486d1da825a80bcc5fea8b46e61', 'turn_18e8f486d1d9ce16ed6faf77a9a5ef8c', 1, 'user', 'pay_by_form 13', NULL, 0, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d2d91d712503af23c625d15e', 'conv_18e8f486d2d890911d83ca1aa5dd0641', 'turn_18e8f486d2d7c588e57f30996c19c440', 1, 'user', 'pay_by_form 14', NULL, 0, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d56721c9207b9ac11adb7b10', 'conv_18e8f486d559a15cfa1975c7dd37ba3f', 'turn_18e8f486d53e8b3a49e08eb81f02da50', 1, 'user', 'sign 15', NULL, 0, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d66bd0ef620b5247e5afdf70', 'conv_18e8f486d2d890911d83ca1aa5dd0641', 'turn_18e8f486d2d7c588e57f30996c19c440', 3, 'assistant', 'Done: ModelSaid.', '{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d6f12f3c8b19e3ce3cae0632', 'conv_18e8f486d6f074332c920752f0b9e7a0', 'turn_18e8f486d6ee610fdef0cb02731b05af', 1, 'user', 'order 16', NULL, 0, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d861e33306bd231ec8d0dda3', 'conv_18e8f486d7f2dd6e1750d8d08f67bb59', 'turn_18e8f486d7f20002ca713e73da197f47', 2, 'assistant', 'I call pay.', '{"text":"I call pay.","reasoning":"","proposals":[{"provider_id":"scripted_37","tool":"pay","arguments":"{\"amount\": 17}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 1, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d8b72d351960af8663e7f109', 'conv_18e8f486d89cde79bcfcd8212efd5231', 'turn_18e8f486d89a84049ede666376001ab2', 2, 'assistant', 'I call ship.', '{"text":"I call ship.","reasoning":"","proposals":[{"provider_id":"scripted_38","tool":"ship","arguments":"{\"amount\": 18}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 1, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486a377bdde22331c63d650c031', 'conv_18e8f486a17e821e0215d77a88f5a683', 'turn_18e8f486a2083388f142a44cac073ad8', 5, 'assistant', 'Done: ModelSaid.', '{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f486a3dc643429396f770f80a0e7', 'conv_18e8f486a3bbcc2a854cb2cba6c528ad', 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 2, 'assistant', 'I call hurry.', '{"text":"I call hurry.","reasoning":"","proposals":[{"provider_id":"scripted_29","tool":"hurry","arguments":"{\"amount\": 8}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456000000000);
INSERT INTO public.messages VALUES ('msg_18e8f486cb6ee16dfa286d5bcdd01632', 'conv_18e8f486cb6e5433e0afd60282004736', 'turn_18e8f486cb6d5156664baf924fdcb80b', 1, 'user', 'pay 10', NULL, 0, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486cd8658f532503b48b84fe6f4', 'conv_18e8f486cd85d6559968694c7efb95b1', 'turn_18e8f486cd8536364700578841fbcf4a', 1, 'user', 'wire 11', NULL, 0, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d190cbe32d4feda5eb3de1ce', 'conv_18e8f486d163d042eb8567049433708b', 'turn_18e8f486d163122c0abc36dcb1116450', 2, 'assistant', 'I call pay_by_form.', '{"text":"I call pay_by_form.","reasoning":"","proposals":[{"provider_id":"scripted_32","tool":"pay_by_form","arguments":"{\"amount\": 12}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 1, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d219558dff513ada83a484c7', 'conv_18e8f486d1da825a80bcc5fea8b46e61', 'turn_18e8f486d1d9ce16ed6faf77a9a5ef8c', 2, 'assistant', 'I call pay_by_form.', '{"text":"I call pay_by_form.","reasoning":"","proposals":[{"provider_id":"scripted_33","tool":"pay_by_form","arguments":"{\"amount\": 13}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 1, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d2f6b848ddc56563cb24d2b9', 'conv_18e8f486d2d890911d83ca1aa5dd0641', 'turn_18e8f486d2d7c588e57f30996c19c440', 2, 'assistant', 'I call pay_by_form.', '{"text":"I call pay_by_form.","reasoning":"","proposals":[{"provider_id":"scripted_34","tool":"pay_by_form","arguments":"{\"amount\": 14}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 0, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d6289557859948bd7a766a22', 'conv_18e8f486d559a15cfa1975c7dd37ba3f', 'turn_18e8f486d53e8b3a49e08eb81f02da50', 2, 'assistant', 'I call sign.', '{"text":"I call sign.","reasoning":"","proposals":[{"provider_id":"scripted_35","tool":"sign","arguments":"{\"amount\": 15}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 1, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d71616fd557c79daef4db04c', 'conv_18e8f486d6f074332c920752f0b9e7a0', 'turn_18e8f486d6ee610fdef0cb02731b05af', 2, 'assistant', 'I call order.', '{"text":"I call order.","reasoning":"","proposals":[{"provider_id":"scripted_36","tool":"order","arguments":"{\"amount\": 16}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}', 1, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d7f36f1e644738f5ab280225', 'conv_18e8f486d7f2dd6e1750d8d08f67bb59', 'turn_18e8f486d7f20002ca713e73da197f47', 1, 'user', 'pay 17', NULL, 0, false, 1893456120000000);
INSERT INTO public.messages VALUES ('msg_18e8f486d89d635e5b48bbc5da6933e5', 'conv_18e8f486d89cde79bcfcd8212efd5231', 'turn_18e8f486d89a84049ede666376001ab2', 1, 'user', 'ship 18', NULL, 0, false, 1893456120000000);
INSERT INTO public.overrides VALUES ('look', '{"risk":"moderate","requires_approval":null,"decide_within":null,"impact":null,"category":null,"audience":null,"confirmation":null}', 'ada', 1893456120000000);
INSERT INTO public.people VALUES ('ada', 'ada', 'human', '["admin","user"]', 1893456120000000, NULL, false);
INSERT INTO public.people VALUES ('finn', 'finn', 'human', '["finance"]', 1893456120000000, NULL, false);
INSERT INTO public.people VALUES ('fay', 'fay', 'human', '["finance"]', 1893456120000000, NULL, false);
INSERT INTO public.request_audience VALUES ('req_18e8f486ce65f90014e8f5ca7067fac8', 'role:finance', 'dangerous', 1893456120000000, NULL);
INSERT INTO public.request_audience VALUES ('req_18e8f486d753a55ebd0443278eadd220', 'role:system', 'moderate', 1893456120000000, NULL);
INSERT INTO public.requests VALUES ('req_18e8f4865ff5a47283168e371a062da6', 'approval', 'approved', 'call_18e8f4865ff282653c1f5fe7c654b2a0', 'conv_18e8f4865fc51bed8331caab1113bad5', 'turn_18e8f4865fc3f007a380d8440cc902d6', 1, 'ada', 'agent', 'pay', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, 'bad76a148dc7c31ab340a07b08f8f1768682907668751bc9676ff570d746ac5c', 'eb01d45afc625085', '{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456000000000, 1893542400000000, 1893456000000000, 'ada', NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f48676c667ca0e8aedaba7c0e865', 'approval', 'approved', 'call_18e8f48676c3dcd235393f4c048cd42a', 'conv_18e8f48676079395d40ced90c3b59f30', 'turn_18e8f48675d250d4854c52f7bd4f959d', 1, 'ada', 'agent', 'stumble', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, 'dbfe4454b23fa44ad232e5b138480e382e312778b143ddb9445c15ed8d5bfdb9', 'eb01d45afc625085', '{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456000000000, 1893542400000000, 1893456000000000, 'ada', NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f48677c51652941d2eb30c51656d', 'approval', 'approved', 'call_18e8f48677c32ecca05b31643f8d36b9', 'conv_18e8f486775e5631e0fc9288f391442a', 'turn_18e8f486775dd76631482849b4230de0', 1, 'ada', 'agent', 'guess', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, '08e13c40b7067f6459418945facd835cb67ce5de5f2a371a1ee3bc7eae1e671d', 'eb01d45afc625085', '{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456000000000, 1893542400000000, 1893456000000000, 'ada', NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f4867bca422599ee59695fbbc4c6', 'approval', 'approved', 'call_18e8f4867bc736e628f56cdb4286fc85', 'conv_18e8f48679e21528d70901b22840ee14', 'turn_18e8f48679e186ae2dd32f7ad668ad91', 1, 'ada', 'agent', 'pay', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, '5bea299b03117472a98035810a3cdd193ff9863561bf16cfbf4424fdef8f7791', 'eb01d45afc625085', '{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456000000000, 1893542400000000, 1893456000000000, 'ada', NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f4868ae6af94f5153f7acc70a783', 'approval', 'rejected', 'call_18e8f4868ade88ba60ad21e00716a21e', 'conv_18e8f486860704a34b6dcf2d82865693', 'turn_18e8f48686061e738006596fdb6c395c', 1, 'ada', 'agent', 'pay', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, '67e9e285d676ef5bc8be19309f2241f094ca279bb0eca5adcf8aad1c2c32d578', 'eb01d45afc625085', '{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456000000000, 1893542400000000, 1893456000000000, 'ada', NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f4869c54114b05e36f3eeebc6e89', 'approval', 'cancelled', 'call_18e8f4869c517cd25d70fcad9babebf1', 'conv_18e8f4869a996fb5aa7adb207f59e002', 'turn_18e8f4869a9874f1e58fe997a0db1e8c', 1, 'ada', 'agent', 'pay', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, '62f5ee5a1aa69bfb8d2c3cc8a9422d05453854a5774256ee0cf69721cadfc179', 'eb01d45afc625085', '{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456000000000, 1893542400000000, 1893456000000000, 'ada', NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f486a1ed4ab4a33f0726f4dc3b4c', 'approval', 'superseded', 'call_18e8f486a1ea0138b91c0850d0f77272', 'conv_18e8f486a17e821e0215d77a88f5a683', 'turn_18e8f486a17d9c3505339cb76ddff9ef', 1, 'ada', 'agent', 'pay', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, '40187cc88e33444eb0318d7ffe05073ae4e85d738447d7c4f3799b06deab7ce8', 'eb01d45afc625085', '{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456000000000, 1893542400000000, 1893456000000000, 'ada', NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f486a3e050a042f3b4438b99c0a8', 'approval', 'expired', 'call_18e8f486a3de267cbbf398268f65ff58', 'conv_18e8f486a3bbcc2a854cb2cba6c528ad', 'turn_18e8f486a3bb16af3ed0a78bb99a0c94', 1, 'ada', 'agent', 'hurry', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, '515b71adde3dcb21e28f5aedef184f01e91371ccfb1cdf8d95c71ca216b26c0f', 'eb01d45afc625085', '{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456000000000, 1893456060000000, 1893456120000000, 'deadline', NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f486ce65f90014e8f5ca7067fac8', 'approval', 'open', 'call_18e8f486ce62792d414fed7f1a6731bb', 'conv_18e8f486cd85d6559968694c7efb95b1', 'turn_18e8f486cd8536364700578841fbcf4a', 1, 'ada', 'agent', 'wire', 'dangerous', '{"owner":false,"roles":["finance"],"people":[],"exclude_requester":false}', 2, '72c574b3a06cb2fc7cf38c88441f514361f09062bf87bf1e3ddcbc8b32b566a7', 'eb01d45afc625085', '{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456120000000, 1893542520000000, NULL, NULL, NULL, 'step', 1);
INSERT INTO public.requests VALUES ('req_18e8f4867bd02cef6f40c700ae8e2522', 'outcome', 'open', 'call_18e8f48677c32ecca05b31643f8d36b9', 'conv_18e8f486775e5631e0fc9288f391442a', 'turn_18e8f486775dd76631482849b4230de0', 1, 'ada', 'agent', 'guess', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, 'cdfbcadb81efd6f866a9f282a89d317b48fbf20ca1e8ff38be28364530ac0f9d', 'eb01d45afc625085', '{"reason":"no answer to 3","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456000000000, NULL, NULL, NULL, NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f486d2fd8a8372c2028e9eace010', 'input', 'answered', 'call_18e8f486d2f9b53f383209d95db57bd0', 'conv_18e8f486d2d890911d83ca1aa5dd0641', 'turn_18e8f486d2d7c588e57f30996c19c440', 1, 'ada', 'agent', 'pay_by_form', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, '6f890079104739fefabc66ed5cc2f522b91421dda815d188f40814ce656f2544', 'eb01d45afc625085', '{"reason":"Who gets it?","text":"","preview":null,"metadata":{},"form":{"reason":"Who gets it?","fields":[{"name":"to","label":"To","type":"text"},{"name":"pin","label":"Pin","type":"secret"}],"save":true,"family":null},"prefilled":{}}', NULL, 1893456120000000, 1893542520000000, 1893456120000000, 'ada', NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f486d62d63a5290207843de91f21', 'result', 'open', 'call_18e8f486d62ab67dff644e5f5f9f8a95', 'conv_18e8f486d559a15cfa1975c7dd37ba3f', 'turn_18e8f486d53e8b3a49e08eb81f02da50', 1, 'ada', 'agent', 'sign', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, '39d666053bcd361784abea9ac31f576f8953250de76a3ac8ab68983d30bb911b', 'eb01d45afc625085', '{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456120000000, 1893542520000000, NULL, NULL, NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f486cd672d219fd398f68d28fc13', 'approval', 'open', 'call_18e8f486cd62bd6b1e8b43bafee8714a', 'conv_18e8f486cb6e5433e0afd60282004736', 'turn_18e8f486cb6d5156664baf924fdcb80b', 1, 'ada', 'agent', 'pay', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, '9e82e3e2ed637041117ce4522d216c613e02c373ef1e192521315faefd311528', 'eb01d45afc625085', '{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456120000000, 1893542520000000, NULL, NULL, NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f486d19701fcbc5409edaa70baca', 'input', 'open', 'call_18e8f486d1930db38b6c45ef302b3896', 'conv_18e8f486d163d042eb8567049433708b', 'turn_18e8f486d163122c0abc36dcb1116450', 1, 'ada', 'agent', 'pay_by_form', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, '4209f4ec21d31e80e62f9b68c5a868d2376f0a479439cf0e29b399b3f70b6a93', 'eb01d45afc625085', '{"reason":"Who gets it?","text":"","preview":null,"metadata":{},"form":{"reason":"Who gets it?","fields":[{"name":"to","label":"To","type":"text"},{"name":"pin","label":"Pin","type":"secret"}],"save":true,"family":null},"prefilled":{}}', NULL, 1893456120000000, 1893542520000000, NULL, NULL, NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f486d21eff7b47d2d6a741e2c6cc', 'input', 'open', 'call_18e8f486d21b93e2bd8373072e6f068b', 'conv_18e8f486d1da825a80bcc5fea8b46e61', 'turn_18e8f486d1d9ce16ed6faf77a9a5ef8c', 1, 'ada', 'agent', 'pay_by_form', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, 'afafd2509c8ca27507c7d84bd183571feac73c1d269d477879a9739b999bd07e', 'eb01d45afc625085', '{"reason":"Who gets it?","text":"","preview":null,"metadata":{},"form":{"reason":"Who gets it?","fields":[{"name":"to","label":"To","type":"text"},{"name":"pin","label":"Pin","type":"secret"}],"save":true,"family":null},"prefilled":{}}', 'v1.test.5hj22PZhWVy3P1ZU3AsvZPZlUo9cZok4hfrjHAWBJvlGbCPO8cXjDjbu8nFMBPmgADvxAg', 1893456120000000, 1893542520000000, NULL, NULL, NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f486d753a55ebd0443278eadd220', 'result', 'open', 'call_18e8f486d7184c0c74addd0558a44054', 'conv_18e8f486d6f074332c920752f0b9e7a0', 'turn_18e8f486d6ee610fdef0cb02731b05af', 1, 'ada', 'agent', 'order', 'moderate', '{"owner":false,"roles":["system"],"people":[],"exclude_requester":false}', 1, 'ac9d15ae3714bd3ce3ee73dc1116e952c286be984e3c258e97f1b6f8878a2228', 'eb01d45afc625085', '{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456120000000, NULL, NULL, NULL, NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f486d8bada7ebf8bee7b156321ff', 'approval', 'approved', 'call_18e8f486d8b8d027ebf14859b6f6219e', 'conv_18e8f486d89cde79bcfcd8212efd5231', 'turn_18e8f486d89a84049ede666376001ab2', 1, 'ada', 'agent', 'ship', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, 'f305a33943b64ab27e13e530b9812f7d6325813a63976fcbc27381e5af607bf9', 'eb01d45afc625085', '{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456120000000, 1893542520000000, 1893456000000000, 'ada', NULL, 'click', 0);
INSERT INTO public.requests VALUES ('req_18e8f486d8676b4afcaac45cbd3de69f', 'approval', 'approved', 'call_18e8f486d8643ecb21de677ba66912d7', 'conv_18e8f486d7f2dd6e1750d8d08f67bb59', 'turn_18e8f486d7f20002ca713e73da197f47', 1, 'ada', 'agent', 'pay', 'moderate', '{"owner":true,"roles":[],"people":[],"exclude_requester":false}', 1, '5312843e187a3a48d9bb4576b2f5701c43c38dae1979368a468c0e8fdb06be0e', 'eb01d45afc625085', '{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}', NULL, 1893456120000000, 1893542520000000, 1893456120000000, 'ada', NULL, 'click', 0);
INSERT INTO public.revisions VALUES ('call_18e8f4867bc736e628f56cdb4286fc85', 1, '{"amount":4,"to":"bob"}', '3b2cf3385a0711708a600a4f9c09beba93d133cea0c7ba8d29b504db259f8615', 'model', 'agent', 1893456000000000);
INSERT INTO public.revisions VALUES ('call_18e8f4867bc736e628f56cdb4286fc85', 2, '{"amount":40,"to":"eve"}', '7a6ede4ccf50be3f129703f2a157449f8fade028b819119bd4b46d7b0364fc4d', 'edit', 'ada', 1893456000000000);
INSERT INTO public.revisions VALUES ('call_18e8f486d2f9b53f383209d95db57bd0', 1, '{"amount":14}', '08c8e4defe54e40551b6b00b9a2954fb75001fd103918b2905ea22a587cc6dfa', 'model', 'agent', 1893456120000000);
INSERT INTO public.revisions VALUES ('call_18e8f486d2f9b53f383209d95db57bd0', 2, '{"amount":14,"pin":{"$secret":"sec_18e8f486d33217e7a2d8b11e8baee73f"},"to":"bob"}', '3f0d16be028449c7d6a8bd69d3ab8f35e282836af48320af9d847d0f0f7b7635', 'answer', 'ada', 1893456120000000);
INSERT INTO public.saved_values VALUES ('conv_18e8f486d2d890911d83ca1aa5dd0641', 'tool:pay_by_form', 'to', '"bob"', false, 1893456120000000);
INSERT INTO public.saved_values VALUES ('conv_18e8f486d2d890911d83ca1aa5dd0641', 'tool:pay_by_form', 'pin', '{"$secret":"sec_18e8f486d33217e7a2d8b11e8baee73f"}', true, 1893456120000000);
INSERT INTO public.secrets VALUES ('sec_18e8f486d33217e7a2d8b11e8baee73f', 'conv_18e8f486d2d890911d83ca1aa5dd0641', NULL, 'pin', 'v1.test.4KFxJfdEIGzI5Wt6Fdk593Pg1sKWyuJTCDFdo1oZl8REESbLYUuK7Mx8', 1893456120000000);
INSERT INTO public.turns VALUES ('turn_18e8f4864f7864c76f5ac70bf6fe63e2', 'conv_18e8f4864f79dc6a986fb16ce9fe4ab8', 1, 'agent', 'ada', 'done', 2, 2, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, '0d5e313a241546ce4fba21f52871d5e2d65bbec2d9c00cfddb23b8e64d67be87', false, NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.turns VALUES ('turn_18e8f4865fc3f007a380d8440cc902d6', 'conv_18e8f4865fc51bed8331caab1113bad5', 1, 'agent', 'ada', 'done', 2, 2, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, '10f17321303892ec9f471faec6e385d7fda4b2983a864e4f2a3e10ef68148c37', false, NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.turns VALUES ('turn_18e8f48675d250d4854c52f7bd4f959d', 'conv_18e8f48676079395d40ced90c3b59f30', 1, 'agent', 'ada', 'done', 2, 2, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, '8502d6934bd123ec47a87546592a4d1a0eb3f6c2d7361182514ce883344ca743', false, NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.turns VALUES ('turn_18e8f486775dd76631482849b4230de0', 'conv_18e8f486775e5631e0fc9288f391442a', 1, 'agent', 'ada', 'waiting', 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, '1d88780a98521d9483fb58150780b9188dbe790ee404d4f14396b5a75414ad21', false, NULL, 1893456000000000, NULL);
INSERT INTO public.turns VALUES ('turn_18e8f48679e186ae2dd32f7ad668ad91', 'conv_18e8f48679e21528d70901b22840ee14', 1, 'agent', 'ada', 'done', 2, 2, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, '9192f7622ff7d5f151bf2d1ae5a9877cb24c48ff82cdf1e7271ada79cb2292b0', false, NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.turns VALUES ('turn_18e8f48686061e738006596fdb6c395c', 'conv_18e8f486860704a34b6dcf2d82865693', 1, 'agent', 'ada', 'done', 2, 2, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, '11b4777ce3baffbe8a80db049602eec4156da52d1b95520e5b0301a42b41f499', false, NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.turns VALUES ('turn_18e8f4869a9874f1e58fe997a0db1e8c', 'conv_18e8f4869a996fb5aa7adb207f59e002', 1, 'agent', 'ada', 'stopped', 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, 'd0eb4adff65eb2fa1f3bfb677729a3049e290d29e82d23e6be316d5086a95f50', false, NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.turns VALUES ('turn_18e8f486a17d9c3505339cb76ddff9ef', 'conv_18e8f486a17e821e0215d77a88f5a683', 1, 'agent', 'ada', 'stopped', 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, '2f1341fb639ee338105a00b7edbde199a53a1c0bead01c4c2c19edaf044b730a', false, NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.turns VALUES ('turn_18e8f486a2083388f142a44cac073ad8', 'conv_18e8f486a17e821e0215d77a88f5a683', 2, 'agent', 'ada', 'done', 2, 2, 'worker_18e8f4863241278aedec60e0ea854004', 1893456030000000, NULL, '39d66d089aac7186361b473952b4313f0bdb145e9c89951e5ca7cca155b8f1a1', false, NULL, 1893456000000000, 1893456000000000);
INSERT INTO public.turns VALUES ('turn_18e8f486a3bb16af3ed0a78bb99a0c94', 'conv_18e8f486a3bbcc2a854cb2cba6c528ad', 1, 'agent', 'ada', 'done', 2, 2, 'worker_18e8f4863241278aedec60e0ea854004', 1893456150000000, NULL, '55ad23f78e4601d3e88f0a5929794cb0dcfc2fc9b1c4f89b54bd6bf6649abb15', false, NULL, 1893456000000000, 1893456120000000);
INSERT INTO public.turns VALUES ('turn_18e8f486cb6d5156664baf924fdcb80b', 'conv_18e8f486cb6e5433e0afd60282004736', 1, 'agent', 'ada', 'waiting', 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456150000000, NULL, 'd74221806dfb9d494c0afd7a2769c2209cb0a29352115cead71fc7588f5a6273', false, NULL, 1893456120000000, NULL);
INSERT INTO public.turns VALUES ('turn_18e8f486cd8536364700578841fbcf4a', 'conv_18e8f486cd85d6559968694c7efb95b1', 1, 'agent', 'ada', 'waiting', 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456150000000, NULL, 'a7b04bf68095398d97da585287a213917e2d36888abbad5989d02ffaf6b1bb2a', false, NULL, 1893456120000000, NULL);
INSERT INTO public.turns VALUES ('turn_18e8f486d163122c0abc36dcb1116450', 'conv_18e8f486d163d042eb8567049433708b', 1, 'agent', 'ada', 'waiting', 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456150000000, NULL, 'a363448a7d6191d975b0efb6bbc56185c830aa14aee2f17d931e6ddb57e2292d', false, NULL, 1893456120000000, NULL);
INSERT INTO public.turns VALUES ('turn_18e8f486d1d9ce16ed6faf77a9a5ef8c', 'conv_18e8f486d1da825a80bcc5fea8b46e61', 1, 'agent', 'ada', 'waiting', 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456150000000, NULL, '43974c97f6c43d517f136c7496661adfebdf0e8e1ad308a77773def3e4654a3a', false, NULL, 1893456120000000, NULL);
INSERT INTO public.turns VALUES ('turn_18e8f486d2d7c588e57f30996c19c440', 'conv_18e8f486d2d890911d83ca1aa5dd0641', 1, 'agent', 'ada', 'done', 2, 2, 'worker_18e8f4863241278aedec60e0ea854004', 1893456150000000, NULL, '3299e81230f79a8311d34f5ab264eeb0ed84b387cff94ac12212695fde2305fd', false, NULL, 1893456120000000, 1893456120000000);
INSERT INTO public.turns VALUES ('turn_18e8f486d53e8b3a49e08eb81f02da50', 'conv_18e8f486d559a15cfa1975c7dd37ba3f', 1, 'agent', 'ada', 'waiting', 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456150000000, NULL, 'fab7188e41250b7dabd048de9a59845af98dc44f3c1b1e666ad846ee25f6b7d8', false, NULL, 1893456120000000, NULL);
INSERT INTO public.turns VALUES ('turn_18e8f486d6ee610fdef0cb02731b05af', 'conv_18e8f486d6f074332c920752f0b9e7a0', 1, 'agent', 'ada', 'waiting', 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456150000000, NULL, '578d109de667fbcb0a566a93dc146639dcc19653e80be2edece351d21d0443d5', false, NULL, 1893456120000000, NULL);
INSERT INTO public.turns VALUES ('turn_18e8f486d7f20002ca713e73da197f47', 'conv_18e8f486d7f2dd6e1750d8d08f67bb59', 1, 'agent', 'ada', 'waiting', 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456150000000, NULL, '1f7f77cbb7e6743c812ad86b32f7977288bdfda3682818ddadb293f1abe6a85d', false, NULL, 1893456120000000, NULL);
INSERT INTO public.turns VALUES ('turn_18e8f486d89a84049ede666376001ab2', 'conv_18e8f486d89cde79bcfcd8212efd5231', 1, 'agent', 'ada', 'waiting', 1, 1, 'worker_18e8f4863241278aedec60e0ea854004', 1893456150000000, NULL, '9805bbeb50091d0becde0a0e941976de7cca361998988885bf1cd065c2601297', false, NULL, 1893456120000000, NULL);
SELECT pg_catalog.setval('public.events_id_seq', 196, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT pk_api_keys PRIMARY KEY (id);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT pk_audit PRIMARY KEY (id);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT pk_calls PRIMARY KEY (id);
ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT pk_conversations PRIMARY KEY (id);
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT pk_decisions PRIMARY KEY (id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT pk_events PRIMARY KEY (id);
ALTER TABLE ONLY public.facts
    ADD CONSTRAINT pk_facts PRIMARY KEY (name);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT pk_links PRIMARY KEY (id);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT pk_messages PRIMARY KEY (id);
ALTER TABLE ONLY public.overrides
    ADD CONSTRAINT pk_overrides PRIMARY KEY (tool);
ALTER TABLE ONLY public.people
    ADD CONSTRAINT pk_people PRIMARY KEY (id);
ALTER TABLE ONLY public.request_audience
    ADD CONSTRAINT pk_request_audience PRIMARY KEY (request_id, principal);
ALTER TABLE ONLY public.requests
    ADD CONSTRAINT pk_requests PRIMARY KEY (id);
ALTER TABLE ONLY public.revisions
    ADD CONSTRAINT pk_revisions PRIMARY KEY (call_id, revision);
ALTER TABLE ONLY public.saved_values
    ADD CONSTRAINT pk_saved_values PRIMARY KEY (conversation_id, scope, name);
ALTER TABLE ONLY public.secrets
    ADD CONSTRAINT pk_secrets PRIMARY KEY (id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT pk_sessions PRIMARY KEY (id);
ALTER TABLE ONLY public.turns
    ADD CONSTRAINT pk_turns PRIMARY KEY (id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT uq_api_keys_prefix UNIQUE (prefix);
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT uq_decisions_request_id_person_verdict UNIQUE (request_id, person, verdict);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT uq_events_turn_id_seq UNIQUE (turn_id, seq);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT uq_messages_conversation_id_position UNIQUE (conversation_id, "position");
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT uq_sessions_hash UNIQUE (hash);
ALTER TABLE ONLY public.turns
    ADD CONSTRAINT uq_turns_conversation_id_number UNIQUE (conversation_id, number);
CREATE INDEX ix_api_keys_person ON public.api_keys USING btree (person);
CREATE INDEX ix_audit_at ON public.audit USING btree (at, id);
CREATE INDEX ix_audit_call ON public.audit USING btree (call_id);
CREATE INDEX ix_audit_conversation ON public.audit USING btree (conversation_id);
CREATE INDEX ix_calls_cleared ON public.calls USING btree (created_at) WHERE (status = 'cleared'::text);
CREATE INDEX ix_calls_conversation ON public.calls USING btree (conversation_id, created_at);
CREATE INDEX ix_calls_running ON public.calls USING btree (lease_until) WHERE (status = 'running'::text);
CREATE INDEX ix_calls_turn ON public.calls USING btree (turn_id);
CREATE INDEX ix_conversations_created ON public.conversations USING btree (created_at, id);
CREATE INDEX ix_conversations_owner_created ON public.conversations USING btree (owner, created_at);
CREATE INDEX ix_events_feed ON public.events USING btree (xid, id) WHERE (kind = ANY (ARRAY['call'::text, 'decided'::text, 'error'::text, 'finished'::text, 'pending'::text, 'reset'::text, 'result'::text, 'started'::text, 'waiting'::text]));
CREATE INDEX ix_links_expires ON public.links USING btree (expires_at);
CREATE INDEX ix_messages_turn ON public.messages USING btree (turn_id, "position");
CREATE INDEX ix_people_behind ON public.people USING btree (behind) WHERE (behind IS NOT NULL);
CREATE INDEX ix_request_audience_all ON public.request_audience USING btree (principal, created_at, request_id);
CREATE INDEX ix_request_audience_open ON public.request_audience USING btree (principal, risk, created_at, request_id) WHERE (closed_at IS NULL);
CREATE INDEX ix_requests_agent_open ON public.requests USING btree (agent) WHERE (status = 'open'::text);
CREATE INDEX ix_requests_call ON public.requests USING btree (call_id);
CREATE INDEX ix_requests_created ON public.requests USING btree (created_at, id);
CREATE INDEX ix_requests_due ON public.requests USING btree (decide_by) WHERE ((status = 'open'::text) AND (decide_by IS NOT NULL));
CREATE INDEX ix_requests_open ON public.requests USING btree (risk, created_at, id) WHERE (status = 'open'::text);
CREATE INDEX ix_requests_owner ON public.requests USING btree (owner, created_at, id);
CREATE INDEX ix_requests_owner_open ON public.requests USING btree (owner, risk, created_at, id) WHERE (status = 'open'::text);
CREATE INDEX ix_requests_turn ON public.requests USING btree (turn_id);
CREATE INDEX ix_secrets_call ON public.secrets USING btree (call_id);
CREATE INDEX ix_sessions_expires ON public.sessions USING btree (expires_at);
CREATE INDEX ix_sessions_person ON public.sessions USING btree (person);
CREATE INDEX ix_turns_owner_created ON public.turns USING btree (owner, created_at);
CREATE INDEX ix_turns_ready ON public.turns USING btree (created_at) WHERE (status = 'ready'::text);
CREATE INDEX ix_turns_running ON public.turns USING btree (lease_until) WHERE (status = 'running'::text);
CREATE UNIQUE INDEX uq_calls_task ON public.calls USING btree (task_id) WHERE (task_id IS NOT NULL);
CREATE UNIQUE INDEX uq_decisions_key ON public.decisions USING btree (person, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE UNIQUE INDEX uq_requests_open_call ON public.requests USING btree (call_id) WHERE (status = 'open'::text);
CREATE UNIQUE INDEX uq_turns_active ON public.turns USING btree (conversation_id) WHERE (status = ANY (ARRAY['ready'::text, 'running'::text, 'waiting'::text]));
CREATE UNIQUE INDEX uq_turns_key ON public.turns USING btree (owner, idempotency_key) WHERE (idempotency_key IS NOT NULL);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT fk_api_keys_person FOREIGN KEY (person) REFERENCES public.people(id);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT fk_calls_conversation_id FOREIGN KEY (conversation_id) REFERENCES public.conversations(id);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT fk_calls_message_id FOREIGN KEY (message_id) REFERENCES public.messages(id);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT fk_calls_turn_id FOREIGN KEY (turn_id) REFERENCES public.turns(id);
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT fk_decisions_request_id FOREIGN KEY (request_id) REFERENCES public.requests(id);
ALTER TABLE ONLY public.links
    ADD CONSTRAINT fk_links_person FOREIGN KEY (person) REFERENCES public.people(id);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT fk_messages_conversation_id FOREIGN KEY (conversation_id) REFERENCES public.conversations(id);
ALTER TABLE ONLY public.messages
    ADD CONSTRAINT fk_messages_turn_id FOREIGN KEY (turn_id) REFERENCES public.turns(id);
ALTER TABLE ONLY public.request_audience
    ADD CONSTRAINT fk_request_audience_request_id FOREIGN KEY (request_id) REFERENCES public.requests(id);
ALTER TABLE ONLY public.requests
    ADD CONSTRAINT fk_requests_call_id FOREIGN KEY (call_id) REFERENCES public.calls(id);
ALTER TABLE ONLY public.revisions
    ADD CONSTRAINT fk_revisions_call_id FOREIGN KEY (call_id) REFERENCES public.calls(id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT fk_sessions_person FOREIGN KEY (person) REFERENCES public.people(id);
ALTER TABLE ONLY public.turns
    ADD CONSTRAINT fk_turns_conversation_id FOREIGN KEY (conversation_id) REFERENCES public.conversations(id);
