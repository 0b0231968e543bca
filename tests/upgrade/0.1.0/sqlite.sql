BEGIN TRANSACTION;
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));
INSERT INTO "alembic_version" VALUES('0004');
CREATE TABLE api_keys (
	id TEXT NOT NULL, 
	person TEXT NOT NULL, 
	prefix TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	label TEXT NOT NULL, 
	scopes TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT, 
	revoked_at BIGINT, 
	last_used_at BIGINT, 
	CONSTRAINT pk_api_keys PRIMARY KEY (id), 
	CONSTRAINT uq_api_keys_prefix UNIQUE (prefix), 
	CONSTRAINT fk_api_keys_person FOREIGN KEY(person) REFERENCES people (id)
);
INSERT INTO "api_keys" VALUES('key_18e8f483ddd7691d753c3253c08c9586','ada','8d3f08c6f0cf','61e13e8a0660e2e269dc408561ffa337a35cd3c7c951beb9c33f0c76c7771718','a key','["audit","chat","decide","manage","read"]',1893456120000000,NULL,NULL,NULL);
CREATE TABLE audit (
	id TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	action TEXT NOT NULL, 
	actor TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	conversation_id TEXT, 
	call_id TEXT, 
	request_id TEXT, 
	source TEXT, 
	target TEXT, 
	data TEXT NOT NULL, 
	CONSTRAINT pk_audit PRIMARY KEY (id)
);
INSERT INTO "audit" VALUES('aud_18e8f4835b26c84174cb73d35894b72f',1893456000000000,'propose','agent:agent','','conv_18e8f4835a331fc5950bc3f641cda4d1','call_18e8f4835b0e52b9c1fc484867a5e5e0',NULL,NULL,NULL,'{"tool":"look","arguments":"a388a3a83a2432b67349ef3208face44dca3c15a2a98329d1c2dce57b740354b"}');
INSERT INTO "audit" VALUES('aud_18e8f4835b26f0006d6c3308ecba3910',1893456000000000,'gate','agent:agent','','conv_18e8f4835a331fc5950bc3f641cda4d1','call_18e8f4835b0e52b9c1fc484867a5e5e0',NULL,'proposed','cleared','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f4835b270c850237adac26d5b44c',1893456000000000,'claim','agent:agent','','conv_18e8f4835a331fc5950bc3f641cda4d1','call_18e8f4835b0e52b9c1fc484867a5e5e0',NULL,'cleared','running','{"fence":1}');
INSERT INTO "audit" VALUES('aud_18e8f4835c32325b265b80f245b6857b',1893456000000000,'succeed','worker:worker_18e8f48355f8534d9728285ae936e93a','','conv_18e8f4835a331fc5950bc3f641cda4d1','call_18e8f4835b0e52b9c1fc484867a5e5e0',NULL,'running','succeeded','{}');
INSERT INTO "audit" VALUES('aud_18e8f4835de8d8d0a6263a951a4e2943',1893456000000000,'propose','agent:agent','','conv_18e8f4835ced1c0f5814945b925bdba8','call_18e8f4835d21a18c17984de2603c0206',NULL,NULL,NULL,'{"tool":"pay","arguments":"96fbf8cc174758b4eb08c2ff79f7ebf94730233ac357c0ce4081f71fe4c5ef4b"}');
INSERT INTO "audit" VALUES('aud_18e8f4835de90c06951b05175a4211b8',1893456000000000,'gate','agent:agent','','conv_18e8f4835ced1c0f5814945b925bdba8','call_18e8f4835d21a18c17984de2603c0206',NULL,'proposed','awaiting_approval','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f4835ff4775c376b50ff484c7bd7',1893456000000000,'approve','ada','library','conv_18e8f4835ced1c0f5814945b925bdba8','call_18e8f4835d21a18c17984de2603c0206','req_18e8f4835de5dbf779745313d681a9bd','awaiting_approval','cleared','{"digest":"96fbf8cc174758b4eb08c2ff79f7ebf94730233ac357c0ce4081f71fe4c5ef4b","revision":1,"arguments":"{\"amount\":1,\"to\":\"bob\"}"}');
INSERT INTO "audit" VALUES('aud_18e8f4835ff4b87f6ac6abc338307372',1893456000000000,'claim','ada','library','conv_18e8f4835ced1c0f5814945b925bdba8','call_18e8f4835d21a18c17984de2603c0206',NULL,'cleared','running','{"fence":1}');
INSERT INTO "audit" VALUES('aud_18e8f48361be4d928170f0cceeea376b',1893456000000000,'succeed','worker:worker_18e8f48355f8534d9728285ae936e93a','','conv_18e8f4835ced1c0f5814945b925bdba8','call_18e8f4835d21a18c17984de2603c0206',NULL,'running','succeeded','{}');
INSERT INTO "audit" VALUES('aud_18e8f48361ecb5afb4a1ecdb302e6464',1893456000000000,'propose','agent:agent','','conv_18e8f48361c08edf30d742c3050c6a73','call_18e8f48361e5277c98469351f038ec57',NULL,NULL,NULL,'{"tool":"stumble","arguments":"a2879a37ea1e0b8938f44d782c2ff3887f30554da489efc8634d658a95a1094d"}');
INSERT INTO "audit" VALUES('aud_18e8f48361eccd97f9f211b41a84ab79',1893456000000000,'gate','agent:agent','','conv_18e8f48361c08edf30d742c3050c6a73','call_18e8f48361e5277c98469351f038ec57',NULL,'proposed','awaiting_approval','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f483620fbc87337baa57d6b5ce5d',1893456000000000,'approve','ada','library','conv_18e8f48361c08edf30d742c3050c6a73','call_18e8f48361e5277c98469351f038ec57','req_18e8f48361eb1f7f593e2d918975924c','awaiting_approval','cleared','{"digest":"a2879a37ea1e0b8938f44d782c2ff3887f30554da489efc8634d658a95a1094d","revision":1,"arguments":"{\"amount\":2}"}');
INSERT INTO "audit" VALUES('aud_18e8f483620fd400834f83038f35b8c9',1893456000000000,'claim','ada','library','conv_18e8f48361c08edf30d742c3050c6a73','call_18e8f48361e5277c98469351f038ec57',NULL,'cleared','running','{"fence":1}');
INSERT INTO "audit" VALUES('aud_18e8f4836243fa137e5b12c39d56ef82',1893456000000000,'fail','worker:worker_18e8f48355f8534d9728285ae936e93a','','conv_18e8f48361c08edf30d742c3050c6a73','call_18e8f48361e5277c98469351f038ec57',NULL,'running','failed','{}');
INSERT INTO "audit" VALUES('aud_18e8f48362dcc5dc4db326b2a5ad091d',1893456000000000,'propose','agent:agent','','conv_18e8f48362503ac41f1f642fca5ab5bf','call_18e8f483627adab90c55df0cff2ef7d0',NULL,NULL,NULL,'{"tool":"guess","arguments":"6d47010e407ddba47d8460e9c3984e515309fd15eaf15d2505e76cbd213df915"}');
INSERT INTO "audit" VALUES('aud_18e8f48362dce5329f94f3c1b00d1e6c',1893456000000000,'gate','agent:agent','','conv_18e8f48362503ac41f1f642fca5ab5bf','call_18e8f483627adab90c55df0cff2ef7d0',NULL,'proposed','awaiting_approval','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f48363289de69fd69b30f71b97be',1893456000000000,'approve','ada','library','conv_18e8f48362503ac41f1f642fca5ab5bf','call_18e8f483627adab90c55df0cff2ef7d0','req_18e8f48362daddac33f4871adcf489d1','awaiting_approval','cleared','{"digest":"6d47010e407ddba47d8460e9c3984e515309fd15eaf15d2505e76cbd213df915","revision":1,"arguments":"{\"amount\":3}"}');
INSERT INTO "audit" VALUES('aud_18e8f4836328bcb0504d74c4f783d590',1893456000000000,'claim','ada','library','conv_18e8f48362503ac41f1f642fca5ab5bf','call_18e8f483627adab90c55df0cff2ef7d0',NULL,'cleared','running','{"fence":1}');
INSERT INTO "audit" VALUES('aud_18e8f4836a71912be1cd4698464da477',1893456000000000,'doubt','worker:worker_18e8f48355f8534d9728285ae936e93a','','conv_18e8f48362503ac41f1f642fca5ab5bf','call_18e8f483627adab90c55df0cff2ef7d0',NULL,'running','in_doubt','{"reason":"no answer to 3"}');
INSERT INTO "audit" VALUES('aud_18e8f4836cc541acfc894e6c13c93bf8',1893456000000000,'propose','agent:agent','','conv_18e8f4836a7f28dfa15e8285c4c9abb9','call_18e8f4836c39b1c6c68f9a311f9a901b',NULL,NULL,NULL,'{"tool":"pay","arguments":"3b2cf3385a0711708a600a4f9c09beba93d133cea0c7ba8d29b504db259f8615"}');
INSERT INTO "audit" VALUES('aud_18e8f4836cc56a66d12f0f9d4f6fbe60',1893456000000000,'gate','agent:agent','','conv_18e8f4836a7f28dfa15e8285c4c9abb9','call_18e8f4836c39b1c6c68f9a311f9a901b',NULL,'proposed','awaiting_approval','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f4836f38578dee06b9945da37809',1893456000000000,'edit','ada','library','conv_18e8f4836a7f28dfa15e8285c4c9abb9','call_18e8f4836c39b1c6c68f9a311f9a901b','req_18e8f4836cc2e448121c1d3766b15180','awaiting_approval','proposed','{"revision":2,"before":"{\"amount\":4,\"to\":\"bob\"}","after":"{\"amount\":40,\"to\":\"eve\"}","digest":"7a6ede4ccf50be3f129703f2a157449f8fade028b819119bd4b46d7b0364fc4d"}');
INSERT INTO "audit" VALUES('aud_18e8f4836f3a3a7fe4e23012dd589fb7',1893456000000000,'approve','ada','library','conv_18e8f4836a7f28dfa15e8285c4c9abb9','call_18e8f4836c39b1c6c68f9a311f9a901b','req_18e8f4836cc2e448121c1d3766b15180','proposed','cleared','{"digest":"7a6ede4ccf50be3f129703f2a157449f8fade028b819119bd4b46d7b0364fc4d","revision":2,"arguments":"{\"amount\":40,\"to\":\"eve\"}"}');
INSERT INTO "audit" VALUES('aud_18e8f4836f3a4e4052d87c90ee7ee2d9',1893456000000000,'claim','ada','library','conv_18e8f4836a7f28dfa15e8285c4c9abb9','call_18e8f4836c39b1c6c68f9a311f9a901b',NULL,'cleared','running','{"fence":1}');
INSERT INTO "audit" VALUES('aud_18e8f483700b4eec7cb019fdbcee1ca3',1893456000000000,'succeed','worker:worker_18e8f48355f8534d9728285ae936e93a','','conv_18e8f4836a7f28dfa15e8285c4c9abb9','call_18e8f4836c39b1c6c68f9a311f9a901b',NULL,'running','succeeded','{}');
INSERT INTO "audit" VALUES('aud_18e8f48378506ac3ee8f063220b20519',1893456000000000,'propose','agent:agent','','conv_18e8f48370643da5e7a3e18b6766e4ed','call_18e8f483781f4ff848c86fa2a19c27fc',NULL,NULL,NULL,'{"tool":"pay","arguments":"29ddb7bbd60d67fa1591798dc16ecfeddfbfbb48c6353113c32659d4e76a6078"}');
INSERT INTO "audit" VALUES('aud_18e8f48378508e0271dfd1d8a40d9d2b',1893456000000000,'gate','agent:agent','','conv_18e8f48370643da5e7a3e18b6766e4ed','call_18e8f483781f4ff848c86fa2a19c27fc',NULL,'proposed','awaiting_approval','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f48378870f02d414e9638f16fbf6',1893456000000000,'reject','ada','library','conv_18e8f48370643da5e7a3e18b6766e4ed','call_18e8f483781f4ff848c86fa2a19c27fc','req_18e8f483784e535bac2699ec5617df38','awaiting_approval','rejected','{"reason":"no","arguments":"{\"amount\":5,\"to\":\"bob\"}"}');
INSERT INTO "audit" VALUES('aud_18e8f4838293dd36f8a1d94ccd1ccf87',1893456000000000,'propose','agent:agent','','conv_18e8f483814f7ea70880be50fcb7df4c','call_18e8f483828abf6e554f2d677d3e337f',NULL,NULL,NULL,'{"tool":"pay","arguments":"abd907b9d1995b6f17af334a75cd31f448733b94a317859d005b140a8a6808d9"}');
INSERT INTO "audit" VALUES('aud_18e8f4838293f640d676531c6d47142e',1893456000000000,'gate','agent:agent','','conv_18e8f483814f7ea70880be50fcb7df4c','call_18e8f483828abf6e554f2d677d3e337f',NULL,'proposed','awaiting_approval','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f48383a4d44133a26f0a03ba1144',1893456000000000,'stop','ada','','conv_18e8f483814f7ea70880be50fcb7df4c','call_18e8f483828abf6e554f2d677d3e337f',NULL,'awaiting_approval','cancelled','{}');
INSERT INTO "audit" VALUES('aud_18e8f48384fda2c407dfdd16f52a5373',1893456000000000,'propose','agent:agent','','conv_18e8f483849f5ecfad833cdf88bfb1ea','call_18e8f48384b89b598879d8ec43f5e194',NULL,NULL,NULL,'{"tool":"pay","arguments":"c2f6af9f66b68436dad821f3244eee6f0436eac9c38b80a9ffcb609ab66ce268"}');
INSERT INTO "audit" VALUES('aud_18e8f48384fdc802f68c2545e12f97c9',1893456000000000,'gate','agent:agent','','conv_18e8f483849f5ecfad833cdf88bfb1ea','call_18e8f48384b89b598879d8ec43f5e194',NULL,'proposed','awaiting_approval','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f4838550e2208c0841f87f7d47e4',1893456000000000,'supersede','ada','','conv_18e8f483849f5ecfad833cdf88bfb1ea','call_18e8f48384b89b598879d8ec43f5e194',NULL,'awaiting_approval','superseded','{}');
INSERT INTO "audit" VALUES('aud_18e8f48385cde68540f81b420da0970d',1893456000000000,'propose','agent:agent','','conv_18e8f483849f5ecfad833cdf88bfb1ea','call_18e8f483859ee6dab3f64314e929aaf9',NULL,NULL,NULL,'{"tool":"look","arguments":"2023c954bfdd39ae53608e1ca3062843411fe3b6195931d8656abdc5bcb82f89"}');
INSERT INTO "audit" VALUES('aud_18e8f48385ce0a33714b3d9e6fbee6dd',1893456000000000,'gate','agent:agent','','conv_18e8f483849f5ecfad833cdf88bfb1ea','call_18e8f483859ee6dab3f64314e929aaf9',NULL,'proposed','cleared','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f48385ce2640c56aa3c656ffd9c0',1893456000000000,'claim','agent:agent','','conv_18e8f483849f5ecfad833cdf88bfb1ea','call_18e8f483859ee6dab3f64314e929aaf9',NULL,'cleared','running','{"fence":1}');
INSERT INTO "audit" VALUES('aud_18e8f48385e6206fede8aecfbddf6193',1893456000000000,'succeed','worker:worker_18e8f48355f8534d9728285ae936e93a','','conv_18e8f483849f5ecfad833cdf88bfb1ea','call_18e8f483859ee6dab3f64314e929aaf9',NULL,'running','succeeded','{}');
INSERT INTO "audit" VALUES('aud_18e8f48386c6d393eeb165cde5e750ed',1893456000000000,'propose','agent:agent','','conv_18e8f4838685d98f87b0a22f5704ebb7','call_18e8f48386bbfa52e56bc54dfc9a7cb8',NULL,NULL,NULL,'{"tool":"hurry","arguments":"bcc1828bc406a5fa6acf3981b561afde94685746c82670668d1d3db3029ecfc6"}');
INSERT INTO "audit" VALUES('aud_18e8f48386c6ea7fea0d02835a58a10e',1893456000000000,'gate','agent:agent','','conv_18e8f4838685d98f87b0a22f5704ebb7','call_18e8f48386bbfa52e56bc54dfc9a7cb8',NULL,'proposed','awaiting_approval','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f483d18bf7fa4435f1ce05e7f498',1893456120000000,'expire','deadline','','conv_18e8f4838685d98f87b0a22f5704ebb7','call_18e8f48386bbfa52e56bc54dfc9a7cb8','req_18e8f48386c555eadb63fc9e3a145631','awaiting_approval','expired','{}');
INSERT INTO "audit" VALUES('aud_18e8f483d8bac69b88dbead6350db8bb',1893456120000000,'propose','agent:agent','','conv_18e8f483d6c8b6e82a696826396067ad','call_18e8f483d8a065ccb7afdcec5417deb2',NULL,NULL,NULL,'{"tool":"pay","arguments":"b5f4d08026cd589d8a9fff5dd7009d73f892cbb1c54d0c1e0eae2fcea7ef8bdd"}');
INSERT INTO "audit" VALUES('aud_18e8f483d8bae01cc25492170a8d1f9c',1893456120000000,'gate','agent:agent','','conv_18e8f483d6c8b6e82a696826396067ad','call_18e8f483d8a065ccb7afdcec5417deb2',NULL,'proposed','awaiting_approval','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f483d925ea15400c5768a2dc8c58',1893456120000000,'propose','agent:agent','','conv_18e8f483d8e9b5bac81fa8ac3b6ae443','call_18e8f483d91ea1d4d32eba7bec4adc70',NULL,NULL,NULL,'{"tool":"wire","arguments":"1dcb03dbb432a0fc253f1abc9c1f13e3b553bfff92d2f6015f8da9a97d3d692f"}');
INSERT INTO "audit" VALUES('aud_18e8f483d925fe8152c927ddc86a9d8d',1893456120000000,'gate','agent:agent','','conv_18e8f483d8e9b5bac81fa8ac3b6ae443','call_18e8f483d91ea1d4d32eba7bec4adc70',NULL,'proposed','awaiting_approval','{"by":"rule:two of finance"}');
INSERT INTO "audit" VALUES('aud_18e8f483d94f6ef7432c89a4288c980b',1893456120000000,'vote','finn','library','conv_18e8f483d8e9b5bac81fa8ac3b6ae443','call_18e8f483d91ea1d4d32eba7bec4adc70','req_18e8f483d9245fe797dee97ea7cb4fc2','awaiting_approval','awaiting_approval','{"votes":1,"quorum":2,"arguments":"{\"amount\":11}"}');
INSERT INTO "audit" VALUES('aud_18e8f483d96e95145a3bcd8e37036bfd',1893456120000000,'propose','agent:agent','','conv_18e8f483d95b9947f74c4c90622aeeef','call_18e8f483d9688c5dc70c1f1d19e00a6c',NULL,NULL,NULL,'{"tool":"pay_by_form","arguments":"70e1d28f6239e1afba2e3a3b9671674417e76f46126b75b9d5fe0436d752a013"}');
INSERT INTO "audit" VALUES('aud_18e8f483d96ea67d2a00c78247d41660',1893456120000000,'gate','agent:agent','','conv_18e8f483d95b9947f74c4c90622aeeef','call_18e8f483d9688c5dc70c1f1d19e00a6c',NULL,'proposed','awaiting_input','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f483d9976c8a6d9a946c6cd783cc',1893456120000000,'propose','agent:agent','','conv_18e8f483d97f8c5595ea773d5be274af','call_18e8f483d98d0585ca3b85014346f739',NULL,NULL,NULL,'{"tool":"pay_by_form","arguments":"b963514b08b1cc9a25add378bed5902719ccceaa2759717adb505e6c65bd6009"}');
INSERT INTO "audit" VALUES('aud_18e8f483d9977ca8669fb11c7e829e80',1893456120000000,'gate','agent:agent','','conv_18e8f483d97f8c5595ea773d5be274af','call_18e8f483d98d0585ca3b85014346f739',NULL,'proposed','awaiting_input','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f483d9d3c7b47a6907e7dec1632c',1893456120000000,'draft','ada','library','conv_18e8f483d97f8c5595ea773d5be274af','call_18e8f483d98d0585ca3b85014346f739','req_18e8f483d99699214d13381a7bf51b4c','awaiting_input','awaiting_input','{}');
INSERT INTO "audit" VALUES('aud_18e8f483da0b985288aacb5ffb226082',1893456120000000,'propose','agent:agent','','conv_18e8f483d9f48b21f14428d0f58559c4','call_18e8f483da069e15c109fff8db4be957',NULL,NULL,NULL,'{"tool":"pay_by_form","arguments":"08c8e4defe54e40551b6b00b9a2954fb75001fd103918b2905ea22a587cc6dfa"}');
INSERT INTO "audit" VALUES('aud_18e8f483da0ba7306dbf9d9b4af57a94',1893456120000000,'gate','agent:agent','','conv_18e8f483d9f48b21f14428d0f58559c4','call_18e8f483da069e15c109fff8db4be957',NULL,'proposed','awaiting_input','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f483da3f1bf78554ca596cb849f4',1893456120000000,'answer','ada','library','conv_18e8f483d9f48b21f14428d0f58559c4','call_18e8f483da069e15c109fff8db4be957','req_18e8f483da0ac60cd26196f2bbef8895','awaiting_input','proposed','{"revision":2,"before":"{\"amount\":14}","after":"{\"amount\":14,\"pin\":{\"$secret\":\"sec_18e8f483da1f11814cda800b43f75cbd\"},\"to\":\"bob\"}","digest":"78a8e02cd167ce25a2921c8f2b3c538dc88f7ecc4c66fd354cf798bcc6e3cfa7"}');
INSERT INTO "audit" VALUES('aud_18e8f483da455f2b426e8d603269d9ea',1893456120000000,'gate','ada','library','conv_18e8f483d9f48b21f14428d0f58559c4','call_18e8f483da069e15c109fff8db4be957',NULL,'proposed','cleared','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f483da820020a54c93ca9d34f506',1893456120000000,'claim','ada','library','conv_18e8f483d9f48b21f14428d0f58559c4','call_18e8f483da069e15c109fff8db4be957',NULL,'cleared','running','{"fence":1}');
INSERT INTO "audit" VALUES('aud_18e8f483dae34a839a543a8f35740942',1893456120000000,'succeed','worker:worker_18e8f48355f8534d9728285ae936e93a','','conv_18e8f483d9f48b21f14428d0f58559c4','call_18e8f483da069e15c109fff8db4be957',NULL,'running','succeeded','{}');
INSERT INTO "audit" VALUES('aud_18e8f483dae71663bb4072eb8300935d',1893456120000000,'propose','agent:agent','','conv_18e8f483daad6bfbe34e5c9ef0f7f238','call_18e8f483dac80f5f9de947c0c3439705',NULL,NULL,NULL,'{"tool":"sign","arguments":"154164ff6901b11fbb12b46a99222223c68c51b62459f18853b23e45175991e9"}');
INSERT INTO "audit" VALUES('aud_18e8f483dae724be05964fc51dfb9347',1893456120000000,'gate','agent:agent','','conv_18e8f483daad6bfbe34e5c9ef0f7f238','call_18e8f483dac80f5f9de947c0c3439705',NULL,'proposed','awaiting_result','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f483db2cab9e796e9b7428574858',1893456120000000,'propose','agent:agent','','conv_18e8f483db1748af6973bb51b27c26fc','call_18e8f483db285519b1dd1cec126e8a68',NULL,NULL,NULL,'{"tool":"order","arguments":"1c253cc0f3a501af58b36bd04699b691e83cdde3c236656858b834495dc566a3"}');
INSERT INTO "audit" VALUES('aud_18e8f483db2cbd10894ae42c4a25f78d',1893456120000000,'gate','agent:agent','','conv_18e8f483db1748af6973bb51b27c26fc','call_18e8f483db285519b1dd1cec126e8a68',NULL,'proposed','cleared','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f483db2cc9e59561d1c6cc272885',1893456120000000,'claim','agent:agent','','conv_18e8f483db1748af6973bb51b27c26fc','call_18e8f483db285519b1dd1cec126e8a68',NULL,'cleared','running','{"fence":1}');
INSERT INTO "audit" VALUES('aud_18e8f483db542498d2546ea7bf202474',1893456120000000,'wait','worker:worker_18e8f48355f8534d9728285ae936e93a','','conv_18e8f483db1748af6973bb51b27c26fc','call_18e8f483db285519b1dd1cec126e8a68',NULL,'running','awaiting_result','{}');
INSERT INTO "audit" VALUES('aud_18e8f483db9345c2145678b85d0ccc92',1893456120000000,'propose','agent:agent','','conv_18e8f483db7375823fa77b755089334c','call_18e8f483db8835453206eab888e951bc',NULL,NULL,NULL,'{"tool":"pay","arguments":"c964865e08d9bdfd7813d62d0d7398e56c0b2e1fe532a629b2ca051837af429b"}');
INSERT INTO "audit" VALUES('aud_18e8f483db93557ca7a761b039764ea8',1893456120000000,'gate','agent:agent','','conv_18e8f483db7375823fa77b755089334c','call_18e8f483db8835453206eab888e951bc',NULL,'proposed','awaiting_approval','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f483dbb03a1a4044ecae219e3a4a',1893456120000000,'propose','agent:agent','','conv_18e8f483dba0b58548e9405df3989d10','call_18e8f483dbabf382b2dfc599751a6ffd',NULL,NULL,NULL,'{"tool":"ship","arguments":"4649245ddd14613a707e6f2f4de48453dc73903bf45eb0e53fe29dcc25abef9f"}');
INSERT INTO "audit" VALUES('aud_18e8f483dbb04a7ecd243a4435782894',1893456120000000,'gate','agent:agent','','conv_18e8f483dba0b58548e9405df3989d10','call_18e8f483dbabf382b2dfc599751a6ffd',NULL,'proposed','awaiting_approval','{"by":"tool"}');
INSERT INTO "audit" VALUES('aud_18e8f483dd373c8be5d659b7d94476d2',1893456120000000,'add_person','ada','',NULL,NULL,NULL,NULL,NULL,'{"person":"ada","kind":"human","roles":["admin","user"],"behind":null,"disabled":false}');
INSERT INTO "audit" VALUES('aud_18e8f483dd626422922e719d28f678d0',1893456120000000,'add_person','ada','',NULL,NULL,NULL,NULL,NULL,'{"person":"finn","kind":"human","roles":["finance"],"behind":null,"disabled":false}');
INSERT INTO "audit" VALUES('aud_18e8f483ddcd9435acb2570119dce507',1893456120000000,'add_person','ada','',NULL,NULL,NULL,NULL,NULL,'{"person":"fay","kind":"human","roles":["finance"],"behind":null,"disabled":false}');
INSERT INTO "audit" VALUES('aud_18e8f483ddd839f02d3c5fef56a59098',1893456120000000,'issue_key','ada','',NULL,NULL,NULL,NULL,NULL,'{"key":"key_18e8f483ddd7691d753c3253c08c9586","person":"ada","prefix":"8d3f08c6f0cf","scopes":["audit","chat","decide","manage","read"],"expires_at":null}');
INSERT INTO "audit" VALUES('aud_18e8f483de0894ec33f79ca2292f29ad',1893456120000000,'override','ada','',NULL,NULL,NULL,NULL,NULL,'{"tool":"look","settings":"{\"risk\":\"moderate\",\"requires_approval\":null,\"decide_within\":null,\"impact\":null,\"category\":null,\"audience\":null,\"confirmation\":null}","loosens":false}');
INSERT INTO "audit" VALUES('aud_18e8f484ab1cc68599638ca48b6b30cc',1893456000000000,'approve','ada','library','conv_18e8f483dba0b58548e9405df3989d10','call_18e8f483dbabf382b2dfc599751a6ffd','req_18e8f483dbaf7d1cf76e33a36fd75b4c','awaiting_approval','cleared','{"digest":"4649245ddd14613a707e6f2f4de48453dc73903bf45eb0e53fe29dcc25abef9f","revision":1,"arguments":"{\"amount\":18}"}');
INSERT INTO "audit" VALUES('aud_18e8f484ab1cfbf5a703b4084335311e',1893456000000000,'claim','ada','library','conv_18e8f483dba0b58548e9405df3989d10','call_18e8f483dbabf382b2dfc599751a6ffd',NULL,'cleared','running','{"fence":1}');
INSERT INTO "audit" VALUES('aud_18e8f484d1e4b7a4cb0f65d1d3fa50dd',1893456120000000,'approve','ada','library','conv_18e8f483db7375823fa77b755089334c','call_18e8f483db8835453206eab888e951bc','req_18e8f483db927a55058ff6dc6aba8ebe','awaiting_approval','cleared','{"digest":"c964865e08d9bdfd7813d62d0d7398e56c0b2e1fe532a629b2ca051837af429b","revision":1,"arguments":"{\"amount\":17,\"to\":\"bob\"}"}');
CREATE TABLE calls (
	id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	turn_id TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	provider_id TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	tool TEXT NOT NULL, 
	source TEXT NOT NULL, 
	risk TEXT NOT NULL, 
	definition_hash TEXT NOT NULL, 
	status TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	arguments TEXT NOT NULL, 
	arguments_digest TEXT NOT NULL, 
	proposed TEXT NOT NULL, 
	cleared_by TEXT, 
	approved BOOLEAN NOT NULL, 
	policy_version TEXT NOT NULL, 
	turn_number INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	run_by BIGINT, 
	fence INTEGER NOT NULL, 
	attempts INTEGER NOT NULL, 
	worker TEXT, 
	lease_until BIGINT, 
	task_id TEXT, 
	metadata TEXT, 
	supplied TEXT, 
	output TEXT, 
	note TEXT, 
	created_at BIGINT NOT NULL, 
	settled_at BIGINT, 
	CONSTRAINT pk_calls PRIMARY KEY (id), 
	CONSTRAINT ck_calls_status CHECK (status IN ('proposed', 'awaiting_input', 'awaiting_approval', 'awaiting_result', 'cleared', 'running', 'in_doubt', 'succeeded', 'failed', 'denied', 'rejected', 'expired', 'cancelled', 'superseded')), 
	CONSTRAINT fk_calls_conversation_id FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	CONSTRAINT fk_calls_turn_id FOREIGN KEY(turn_id) REFERENCES turns (id), 
	CONSTRAINT fk_calls_message_id FOREIGN KEY(message_id) REFERENCES messages (id)
);
INSERT INTO "calls" VALUES('call_18e8f4835b0e52b9c1fc484867a5e5e0','conv_18e8f4835a331fc5950bc3f641cda4d1','turn_18e8f4835a300490c8df87ee16e9d4de','msg_18e8f4835b0aacb8c563f0259f657a19',0,'scripted_1','agent','look','local','safe','10d4778cb9665cb9c88332f21b3bcc4dadeb19ebe29bf1eaeae6f3f41ccce9cf','succeeded',1,'{"place":"garden"}','a388a3a83a2432b67349ef3208face44dca3c15a2a98329d1c2dce57b740354b','{"place":"garden"}','tool',0,'eb01d45afc625085',1,1,NULL,1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,NULL,NULL,'"looked at garden"',NULL,1893456000000000,1893456000000000);
INSERT INTO "calls" VALUES('call_18e8f4835d21a18c17984de2603c0206','conv_18e8f4835ced1c0f5814945b925bdba8','turn_18e8f4835ce293657f34a60a18c81722','msg_18e8f4835d1e99e7c1b9eaae2654d369',0,'scripted_2','agent','pay','local','moderate','045f6ebe3f645b35e0bfc1b8fc9fc054fbb62d1fa49b5b582dc3eff089b28ccc','succeeded',1,'{"amount":1,"to":"bob"}','96fbf8cc174758b4eb08c2ff79f7ebf94730233ac357c0ce4081f71fe4c5ef4b','{"amount":1,"to":"bob"}','person:ada',1,'eb01d45afc625085',1,1,1893456900000000,1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,NULL,NULL,'"paid 1 to bob"',NULL,1893456000000000,1893456000000000);
INSERT INTO "calls" VALUES('call_18e8f48361e5277c98469351f038ec57','conv_18e8f48361c08edf30d742c3050c6a73','turn_18e8f48361a8d13504121ccb98deda4e','msg_18e8f48361e24031575aa81c9f4c59dc',0,'scripted_3','agent','stumble','local','moderate','1ce16c2ece055574873593671061cef5b497d0c4e6c09fc60b8a0cda56dd571d','failed',1,'{"amount":2}','a2879a37ea1e0b8938f44d782c2ff3887f30554da489efc8634d658a95a1094d','{"amount":2}','person:ada',1,'eb01d45afc625085',1,1,1893456900000000,1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,NULL,NULL,'{"error":"ValueError: cannot do 2"}',NULL,1893456000000000,1893456000000000);
INSERT INTO "calls" VALUES('call_18e8f483627adab90c55df0cff2ef7d0','conv_18e8f48362503ac41f1f642fca5ab5bf','turn_18e8f483624927999f6583e53e78e69b','msg_18e8f4836278a35b1d73c524288940d0',0,'scripted_4','agent','guess','local','moderate','3873dc273f52f21ec8394f8180292eb6b4db5ebe7e29c29929d201f94985d124','in_doubt',1,'{"amount":3}','6d47010e407ddba47d8460e9c3984e515309fd15eaf15d2505e76cbd213df915','{"amount":3}','person:ada',1,'eb01d45afc625085',1,1,1893456900000000,1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,NULL,NULL,NULL,NULL,1893456000000000,NULL);
INSERT INTO "calls" VALUES('call_18e8f4836c39b1c6c68f9a311f9a901b','conv_18e8f4836a7f28dfa15e8285c4c9abb9','turn_18e8f4836415a94809ee7c910eba699d','msg_18e8f4836c366d567bc58a822e26c678',0,'scripted_5','agent','pay','local','moderate','045f6ebe3f645b35e0bfc1b8fc9fc054fbb62d1fa49b5b582dc3eff089b28ccc','succeeded',2,'{"amount":40,"to":"eve"}','7a6ede4ccf50be3f129703f2a157449f8fade028b819119bd4b46d7b0364fc4d','{"amount":4,"to":"bob"}','person:ada',1,'eb01d45afc625085',1,1,1893456900000000,1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,NULL,NULL,'"paid 40 to eve"','A person changed the arguments of this call to: {"amount":40,"to":"eve"}',1893456000000000,1893456000000000);
INSERT INTO "calls" VALUES('call_18e8f483781f4ff848c86fa2a19c27fc','conv_18e8f48370643da5e7a3e18b6766e4ed','turn_18e8f483701da8ffaca7798b2739cc54','msg_18e8f483781be6fe79fd87b00d4f8729',0,'scripted_6','agent','pay','local','moderate','045f6ebe3f645b35e0bfc1b8fc9fc054fbb62d1fa49b5b582dc3eff089b28ccc','rejected',1,'{"amount":5,"to":"bob"}','29ddb7bbd60d67fa1591798dc16ecfeddfbfbb48c6353113c32659d4e76a6078','{"amount":5,"to":"bob"}',NULL,0,'eb01d45afc625085',1,1,NULL,0,0,NULL,NULL,NULL,NULL,NULL,'{"error":"Tool call refused by the user. User''s feedback: no"}',NULL,1893456000000000,1893456000000000);
INSERT INTO "calls" VALUES('call_18e8f483828abf6e554f2d677d3e337f','conv_18e8f483814f7ea70880be50fcb7df4c','turn_18e8f483807d1677b7ffa1f9a205d8b4','msg_18e8f4838287e64d68bfd8f2f9f2331f',0,'scripted_7','agent','pay','local','moderate','045f6ebe3f645b35e0bfc1b8fc9fc054fbb62d1fa49b5b582dc3eff089b28ccc','cancelled',1,'{"amount":6,"to":"bob"}','abd907b9d1995b6f17af334a75cd31f448733b94a317859d005b140a8a6808d9','{"amount":6,"to":"bob"}',NULL,0,'eb01d45afc625085',1,1,NULL,0,0,NULL,NULL,NULL,NULL,NULL,'{"error":"The user stopped the turn before this call ran."}',NULL,1893456000000000,1893456000000000);
INSERT INTO "calls" VALUES('call_18e8f48384b89b598879d8ec43f5e194','conv_18e8f483849f5ecfad833cdf88bfb1ea','turn_18e8f48384906941697e55f2b637f148','msg_18e8f48384b5db92323f733f6e725361',0,'scripted_8','agent','pay','local','moderate','045f6ebe3f645b35e0bfc1b8fc9fc054fbb62d1fa49b5b582dc3eff089b28ccc','superseded',1,'{"amount":7,"to":"bob"}','c2f6af9f66b68436dad821f3244eee6f0436eac9c38b80a9ffcb609ab66ce268','{"amount":7,"to":"bob"}',NULL,0,'eb01d45afc625085',1,1,NULL,0,0,NULL,NULL,NULL,NULL,NULL,'{"error":"The call was cancelled because the user sent a new message."}',NULL,1893456000000000,1893456000000000);
INSERT INTO "calls" VALUES('call_18e8f483859ee6dab3f64314e929aaf9','conv_18e8f483849f5ecfad833cdf88bfb1ea','turn_18e8f48385383cde702641f54b0ca9c5','msg_18e8f483859c7d5f497a4c5d3692bf26',0,'scripted_9','agent','look','local','safe','10d4778cb9665cb9c88332f21b3bcc4dadeb19ebe29bf1eaeae6f3f41ccce9cf','succeeded',1,'{"place":"elsewhere"}','2023c954bfdd39ae53608e1ca3062843411fe3b6195931d8656abdc5bcb82f89','{"place":"elsewhere"}','tool',0,'eb01d45afc625085',2,1,NULL,1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,NULL,NULL,'"looked at elsewhere"',NULL,1893456000000000,1893456000000000);
INSERT INTO "calls" VALUES('call_18e8f48386bbfa52e56bc54dfc9a7cb8','conv_18e8f4838685d98f87b0a22f5704ebb7','turn_18e8f483868392317a93040eafe7cc70','msg_18e8f48386b9af15083b582fdc29f4e3',0,'scripted_10','agent','hurry','local','moderate','5c9b4e0dbe281bcfb4cb9b8b0688ebf5a099cda6686830b6c69f84c224c60b9d','expired',1,'{"amount":8}','bcc1828bc406a5fa6acf3981b561afde94685746c82670668d1d3db3029ecfc6','{"amount":8}',NULL,0,'eb01d45afc625085',1,1,NULL,0,0,NULL,NULL,NULL,NULL,NULL,'{"error":"Approval request timed out."}',NULL,1893456000000000,1893456120000000);
INSERT INTO "calls" VALUES('call_18e8f483d8a065ccb7afdcec5417deb2','conv_18e8f483d6c8b6e82a696826396067ad','turn_18e8f483d6c4b411f5f23a74005c1238','msg_18e8f483d89cff99b8ba3294c1abad69',0,'scripted_11','agent','pay','local','moderate','045f6ebe3f645b35e0bfc1b8fc9fc054fbb62d1fa49b5b582dc3eff089b28ccc','awaiting_approval',1,'{"amount":10,"to":"bob"}','b5f4d08026cd589d8a9fff5dd7009d73f892cbb1c54d0c1e0eae2fcea7ef8bdd','{"amount":10,"to":"bob"}',NULL,0,'eb01d45afc625085',1,1,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1893456120000000,NULL);
INSERT INTO "calls" VALUES('call_18e8f483d91ea1d4d32eba7bec4adc70','conv_18e8f483d8e9b5bac81fa8ac3b6ae443','turn_18e8f483d8e73f1ae1ed89d49bdc2e7a','msg_18e8f483d91cb2b7f15af45619a11ee0',0,'scripted_12','agent','wire','local','dangerous','ad04b0e2ed6bde55cb2de295edd2d927400b989fc476c056950318861c4128ca','awaiting_approval',1,'{"amount":11}','1dcb03dbb432a0fc253f1abc9c1f13e3b553bfff92d2f6015f8da9a97d3d692f','{"amount":11}',NULL,0,'eb01d45afc625085',1,1,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1893456120000000,NULL);
INSERT INTO "calls" VALUES('call_18e8f483d9688c5dc70c1f1d19e00a6c','conv_18e8f483d95b9947f74c4c90622aeeef','turn_18e8f483d958af543d684d5021941628','msg_18e8f483d966ebc41634d70b6a229571',0,'scripted_13','agent','pay_by_form','local','moderate','6bacb23612efb7e933ba2c8e215784f39e7a6dafee2ae10a3376d555e9634d35','awaiting_input',1,'{"amount":12}','70e1d28f6239e1afba2e3a3b9671674417e76f46126b75b9d5fe0436d752a013','{"amount":12}',NULL,0,'eb01d45afc625085',1,1,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1893456120000000,NULL);
INSERT INTO "calls" VALUES('call_18e8f483d98d0585ca3b85014346f739','conv_18e8f483d97f8c5595ea773d5be274af','turn_18e8f483d97be06b4ce867cd3a039c54','msg_18e8f483d98bff69781e74825a1c95ca',0,'scripted_14','agent','pay_by_form','local','moderate','6bacb23612efb7e933ba2c8e215784f39e7a6dafee2ae10a3376d555e9634d35','awaiting_input',1,'{"amount":13}','b963514b08b1cc9a25add378bed5902719ccceaa2759717adb505e6c65bd6009','{"amount":13}',NULL,0,'eb01d45afc625085',1,1,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1893456120000000,NULL);
INSERT INTO "calls" VALUES('call_18e8f483da069e15c109fff8db4be957','conv_18e8f483d9f48b21f14428d0f58559c4','turn_18e8f483d9f27cebe5808a10abd30760','msg_18e8f483da057cdd36394f8d18e5bc53',0,'scripted_15','agent','pay_by_form','local','moderate','6bacb23612efb7e933ba2c8e215784f39e7a6dafee2ae10a3376d555e9634d35','succeeded',2,'{"amount":14,"pin":{"$secret":"sec_18e8f483da1f11814cda800b43f75cbd"},"to":"bob"}','78a8e02cd167ce25a2921c8f2b3c538dc88f7ecc4c66fd354cf798bcc6e3cfa7','{"amount":14}','tool',0,'eb01d45afc625085',1,1,NULL,1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456150000000,NULL,NULL,NULL,'"paid 14 to bob with [secret]"',NULL,1893456120000000,1893456120000000);
INSERT INTO "calls" VALUES('call_18e8f483dac80f5f9de947c0c3439705','conv_18e8f483daad6bfbe34e5c9ef0f7f238','turn_18e8f483daa7aa76a3b06dfb9334c28d','msg_18e8f483dac6f92f4314a3ca931c6948',0,'scripted_16','agent','sign','local','moderate','7a2321c90c8e1822efbbb7b1ef2757618d882ff269902488a7aa3e0671983025','awaiting_result',1,'{"amount":15}','154164ff6901b11fbb12b46a99222223c68c51b62459f18853b23e45175991e9','{"amount":15}','tool',0,'eb01d45afc625085',1,1,NULL,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1893456120000000,NULL);
INSERT INTO "calls" VALUES('call_18e8f483db285519b1dd1cec126e8a68','conv_18e8f483db1748af6973bb51b27c26fc','turn_18e8f483db09b94651a666fe2ce00d14','msg_18e8f483db272d6d6084f5bc074478f7',0,'scripted_17','agent','order','local','moderate','363459f4e1353f620fe9cb21f12a7ae4931805849a9858e3738039f58434d219','awaiting_result',1,'{"amount":16}','1c253cc0f3a501af58b36bd04699b691e83cdde3c236656858b834495dc566a3','{"amount":16}','tool',0,'eb01d45afc625085',1,1,NULL,1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456150000000,'task-of-an-earlier-release',NULL,NULL,NULL,NULL,1893456120000000,NULL);
INSERT INTO "calls" VALUES('call_18e8f483db8835453206eab888e951bc','conv_18e8f483db7375823fa77b755089334c','turn_18e8f483db71a358367f53779e058f5b','msg_18e8f483db870c12ca7c8d51e5398efb',0,'scripted_18','agent','pay','local','moderate','045f6ebe3f645b35e0bfc1b8fc9fc054fbb62d1fa49b5b582dc3eff089b28ccc','cleared',1,'{"amount":17,"to":"bob"}','c964865e08d9bdfd7813d62d0d7398e56c0b2e1fe532a629b2ca051837af429b','{"amount":17,"to":"bob"}','person:ada',1,'349976a90affd44c',1,1,1893457020000000,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1893456120000000,NULL);
INSERT INTO "calls" VALUES('call_18e8f483dbabf382b2dfc599751a6ffd','conv_18e8f483dba0b58548e9405df3989d10','turn_18e8f483db9ee0bc7283559313868b47','msg_18e8f483dbaaeb4912bf68d345b641b2',0,'scripted_19','agent','ship','local','moderate','9c71605c70115c4f6ee1d461fcea3426d43b682cd0045334748f005986740add','running',1,'{"amount":18}','4649245ddd14613a707e6f2f4de48453dc73903bf45eb0e53fe29dcc25abef9f','{"amount":18}','person:ada',1,'349976a90affd44c',1,1,1893456900000000,1,1,'worker_18e8f484a2c48b5b2cb738a7afe90664',1893456030000000,NULL,NULL,NULL,NULL,NULL,1893456120000000,NULL);
CREATE TABLE conversations (
	id TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	owner_kind TEXT NOT NULL, 
	owner_roles TEXT NOT NULL, 
	owner_behind TEXT, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT pk_conversations PRIMARY KEY (id)
);
INSERT INTO "conversations" VALUES('conv_18e8f4835a331fc5950bc3f641cda4d1','agent','ada','human','["admin","user"]',NULL,1893456000000000);
INSERT INTO "conversations" VALUES('conv_18e8f4835ced1c0f5814945b925bdba8','agent','ada','human','["admin","user"]',NULL,1893456000000000);
INSERT INTO "conversations" VALUES('conv_18e8f48361c08edf30d742c3050c6a73','agent','ada','human','["admin","user"]',NULL,1893456000000000);
INSERT INTO "conversations" VALUES('conv_18e8f48362503ac41f1f642fca5ab5bf','agent','ada','human','["admin","user"]',NULL,1893456000000000);
INSERT INTO "conversations" VALUES('conv_18e8f4836a7f28dfa15e8285c4c9abb9','agent','ada','human','["admin","user"]',NULL,1893456000000000);
INSERT INTO "conversations" VALUES('conv_18e8f48370643da5e7a3e18b6766e4ed','agent','ada','human','["admin","user"]',NULL,1893456000000000);
INSERT INTO "conversations" VALUES('conv_18e8f483814f7ea70880be50fcb7df4c','agent','ada','human','["admin","user"]',NULL,1893456000000000);
INSERT INTO "conversations" VALUES('conv_18e8f483849f5ecfad833cdf88bfb1ea','agent','ada','human','["admin","user"]',NULL,1893456000000000);
INSERT INTO "conversations" VALUES('conv_18e8f4838685d98f87b0a22f5704ebb7','agent','ada','human','["admin","user"]',NULL,1893456000000000);
INSERT INTO "conversations" VALUES('conv_18e8f483d6c8b6e82a696826396067ad','agent','ada','human','["admin","user"]',NULL,1893456120000000);
INSERT INTO "conversations" VALUES('conv_18e8f483d8e9b5bac81fa8ac3b6ae443','agent','ada','human','["admin","user"]',NULL,1893456120000000);
INSERT INTO "conversations" VALUES('conv_18e8f483d95b9947f74c4c90622aeeef','agent','ada','human','["admin","user"]',NULL,1893456120000000);
INSERT INTO "conversations" VALUES('conv_18e8f483d97f8c5595ea773d5be274af','agent','ada','human','["admin","user"]',NULL,1893456120000000);
INSERT INTO "conversations" VALUES('conv_18e8f483d9f48b21f14428d0f58559c4','agent','ada','human','["admin","user"]',NULL,1893456120000000);
INSERT INTO "conversations" VALUES('conv_18e8f483daad6bfbe34e5c9ef0f7f238','agent','ada','human','["admin","user"]',NULL,1893456120000000);
INSERT INTO "conversations" VALUES('conv_18e8f483db1748af6973bb51b27c26fc','agent','ada','human','["admin","user"]',NULL,1893456120000000);
INSERT INTO "conversations" VALUES('conv_18e8f483db7375823fa77b755089334c','agent','ada','human','["admin","user"]',NULL,1893456120000000);
INSERT INTO "conversations" VALUES('conv_18e8f483dba0b58548e9405df3989d10','agent','ada','human','["admin","user"]',NULL,1893456120000000);
CREATE TABLE decisions (
	id TEXT NOT NULL, 
	request_id TEXT NOT NULL, 
	person TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	verdict TEXT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	arguments TEXT, 
	digest TEXT, 
	idempotency_key TEXT, 
	at BIGINT NOT NULL, 
	shown TEXT, 
	human TEXT, 
	CONSTRAINT pk_decisions PRIMARY KEY (id), 
	CONSTRAINT uq_decisions_request_id_person_verdict UNIQUE (request_id, person, verdict), 
	CONSTRAINT fk_decisions_request_id FOREIGN KEY(request_id) REFERENCES requests (id)
);
INSERT INTO "decisions" VALUES('dec_18e8f4835fddee52acbdec28271359df','req_18e8f4835de5dbf779745313d681a9bd','ada','library','approve','1ca4529b83833c6782f7b707a75a637935b4474c9978f3e825139cb6c2b679b7','',NULL,'983df615966dad7407c6e0ba3d8dc245a339f9345fcf44fa8170c678e99770cd',NULL,1893456000000000,NULL,'ada');
INSERT INTO "decisions" VALUES('dec_18e8f483620d6a35956d97e07f258148','req_18e8f48361eb1f7f593e2d918975924c','ada','library','approve','1ca4529b83833c6782f7b707a75a637935b4474c9978f3e825139cb6c2b679b7','',NULL,'d4b0a9319a599378269cf932941ba102b97b1578347f69dd11e5c05612929b7e',NULL,1893456000000000,NULL,'ada');
INSERT INTO "decisions" VALUES('dec_18e8f4836325ad1abeacdf619e43a113','req_18e8f48362daddac33f4871adcf489d1','ada','library','approve','1ca4529b83833c6782f7b707a75a637935b4474c9978f3e825139cb6c2b679b7','',NULL,'f6e770135b8f1b7a20cc0272c7a1238a4daf4a84d11ae6766e32dbaa528e26f1',NULL,1893456000000000,NULL,'ada');
INSERT INTO "decisions" VALUES('dec_18e8f4836f2bf2a2f3e9afad635c31e4','req_18e8f4836cc2e448121c1d3766b15180','ada','library','approve','0d7bea1b0a18a7d56b64af0da7de57c370cc2c6df83f4da7413c95aa2248faad','','{"amount":40,"to":"eve"}','a7e3f16baeac28c5d4235abf2e029578fb113d6af11381a64ce26a8753fa1ed7',NULL,1893456000000000,NULL,'ada');
INSERT INTO "decisions" VALUES('dec_18e8f48378852da15ddbc657d71debcc','req_18e8f483784e535bac2699ec5617df38','ada','library','reject','d8a0eb1ea5ce45bbf5b1fa84c81d9125431b631f878a6de61d53e9c98658e966','no',NULL,NULL,NULL,1893456000000000,NULL,'ada');
INSERT INTO "decisions" VALUES('dec_18e8f483d94e1f8108e9ccfc2c9fd19a','req_18e8f483d9245fe797dee97ea7cb4fc2','finn','library','approve','1ca4529b83833c6782f7b707a75a637935b4474c9978f3e825139cb6c2b679b7','',NULL,'e1fe14fb4d3850b05f4e08c14bac1498e2aee3b508248538a044e8e61bd80c2e',NULL,1893456120000000,NULL,'finn');
INSERT INTO "decisions" VALUES('dec_18e8f483da2a2fcd608cf9340e609c73','req_18e8f483da0ac60cd26196f2bbef8895','ada','library','answer','a745245c6682108abcee16f6834526d205a6977eabb26037374d0a33ff62688c','',NULL,NULL,NULL,1893456120000000,NULL,'ada');
INSERT INTO "decisions" VALUES('dec_18e8f484ab0945bf2fbad3734dfb76a5','req_18e8f483dbaf7d1cf76e33a36fd75b4c','ada','library','approve','1ca4529b83833c6782f7b707a75a637935b4474c9978f3e825139cb6c2b679b7','',NULL,'ff88cab7d0344c2a4a9c10b518325611d367845895226a12157e3366bd54d694',NULL,1893456000000000,NULL,'ada');
INSERT INTO "decisions" VALUES('dec_18e8f484d1d81ff290eb53893f5714ae','req_18e8f483db927a55058ff6dc6aba8ebe','ada','library','approve','1ca4529b83833c6782f7b707a75a637935b4474c9978f3e825139cb6c2b679b7','',NULL,'f3413fa8e515e30c2a96f7fa571aae8c4157bf50b0fbedb63e6535e1a8fee711',NULL,1893456120000000,NULL,'ada');
CREATE TABLE events (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	xid BIGINT DEFAULT 0 NOT NULL, 
	turn_id TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	data TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	CONSTRAINT uq_events_turn_id_seq UNIQUE (turn_id, seq)
);
INSERT INTO "events" VALUES(1,0,'turn_18e8f4835a300490c8df87ee16e9d4de',1,'started','{"text":"look garden"}',1893456000000000);
INSERT INTO "events" VALUES(2,0,'turn_18e8f4835a300490c8df87ee16e9d4de',2,'step','{"step":1}',1893456000000000);
INSERT INTO "events" VALUES(3,0,'turn_18e8f4835a300490c8df87ee16e9d4de',3,'text','{"text":"I call look."}',1893456000000000);
INSERT INTO "events" VALUES(4,0,'turn_18e8f4835a300490c8df87ee16e9d4de',4,'proposed','{"call_id":"call_18e8f4835b0e52b9c1fc484867a5e5e0","tool":"look","provider_id":"scripted_1","arguments":"{\"place\":\"garden\"}","risk":"safe"}',1893456000000000);
INSERT INTO "events" VALUES(5,0,'turn_18e8f4835a300490c8df87ee16e9d4de',5,'call','{"call_id":"call_18e8f4835b0e52b9c1fc484867a5e5e0","tool":"look","status":"cleared"}',1893456000000000);
INSERT INTO "events" VALUES(6,0,'turn_18e8f4835a300490c8df87ee16e9d4de',6,'call','{"call_id":"call_18e8f4835b0e52b9c1fc484867a5e5e0","tool":"look","status":"running"}',1893456000000000);
INSERT INTO "events" VALUES(7,0,'turn_18e8f4835a300490c8df87ee16e9d4de',7,'result','{"call_id":"call_18e8f4835b0e52b9c1fc484867a5e5e0","tool":"look","status":"succeeded","output":"\"looked at garden\""}',1893456000000000);
INSERT INTO "events" VALUES(8,0,'turn_18e8f4835a300490c8df87ee16e9d4de',8,'step','{"step":2}',1893456000000000);
INSERT INTO "events" VALUES(9,0,'turn_18e8f4835a300490c8df87ee16e9d4de',9,'text','{"text":"Done: ModelSaid."}',1893456000000000);
INSERT INTO "events" VALUES(10,0,'turn_18e8f4835a300490c8df87ee16e9d4de',10,'finished','{"reason":"stop","model":"scripted (offline, no real model)"}',1893456000000000);
INSERT INTO "events" VALUES(11,0,'turn_18e8f4835ce293657f34a60a18c81722',1,'started','{"text":"pay 1"}',1893456000000000);
INSERT INTO "events" VALUES(12,0,'turn_18e8f4835ce293657f34a60a18c81722',2,'step','{"step":1}',1893456000000000);
INSERT INTO "events" VALUES(13,0,'turn_18e8f4835ce293657f34a60a18c81722',3,'text','{"text":"I call pay."}',1893456000000000);
INSERT INTO "events" VALUES(14,0,'turn_18e8f4835ce293657f34a60a18c81722',4,'proposed','{"call_id":"call_18e8f4835d21a18c17984de2603c0206","tool":"pay","provider_id":"scripted_2","arguments":"{\"amount\":1,\"to\":\"bob\"}","risk":"moderate"}',1893456000000000);
INSERT INTO "events" VALUES(15,0,'turn_18e8f4835ce293657f34a60a18c81722',5,'call','{"call_id":"call_18e8f4835d21a18c17984de2603c0206","tool":"pay","status":"awaiting_approval"}',1893456000000000);
INSERT INTO "events" VALUES(16,0,'turn_18e8f4835ce293657f34a60a18c81722',6,'pending','{"request_id":"req_18e8f4835de5dbf779745313d681a9bd","call_id":"call_18e8f4835d21a18c17984de2603c0206","kind":"approval","tool":"pay"}',1893456000000000);
INSERT INTO "events" VALUES(17,0,'turn_18e8f4835ce293657f34a60a18c81722',7,'waiting','{"requests":["req_18e8f4835de5dbf779745313d681a9bd"]}',1893456000000000);
INSERT INTO "events" VALUES(18,0,'turn_18e8f4835ce293657f34a60a18c81722',8,'decided','{"request_id":"req_18e8f4835de5dbf779745313d681a9bd","call_id":"call_18e8f4835d21a18c17984de2603c0206","status":"approved","by":"ada"}',1893456000000000);
INSERT INTO "events" VALUES(19,0,'turn_18e8f4835ce293657f34a60a18c81722',9,'call','{"call_id":"call_18e8f4835d21a18c17984de2603c0206","tool":"pay","status":"cleared"}',1893456000000000);
INSERT INTO "events" VALUES(20,0,'turn_18e8f4835ce293657f34a60a18c81722',10,'call','{"call_id":"call_18e8f4835d21a18c17984de2603c0206","tool":"pay","status":"running"}',1893456000000000);
INSERT INTO "events" VALUES(21,0,'turn_18e8f4835ce293657f34a60a18c81722',11,'result','{"call_id":"call_18e8f4835d21a18c17984de2603c0206","tool":"pay","status":"succeeded","output":"\"paid 1 to bob\""}',1893456000000000);
INSERT INTO "events" VALUES(22,0,'turn_18e8f48361a8d13504121ccb98deda4e',1,'started','{"text":"stumble 2"}',1893456000000000);
INSERT INTO "events" VALUES(23,0,'turn_18e8f4835ce293657f34a60a18c81722',12,'step','{"step":2}',1893456000000000);
INSERT INTO "events" VALUES(24,0,'turn_18e8f4835ce293657f34a60a18c81722',13,'text','{"text":"Done: ModelSaid."}',1893456000000000);
INSERT INTO "events" VALUES(25,0,'turn_18e8f4835ce293657f34a60a18c81722',14,'finished','{"reason":"stop","model":"scripted (offline, no real model)"}',1893456000000000);
INSERT INTO "events" VALUES(26,0,'turn_18e8f48361a8d13504121ccb98deda4e',2,'step','{"step":1}',1893456000000000);
INSERT INTO "events" VALUES(27,0,'turn_18e8f48361a8d13504121ccb98deda4e',3,'text','{"text":"I call stumble."}',1893456000000000);
INSERT INTO "events" VALUES(28,0,'turn_18e8f48361a8d13504121ccb98deda4e',4,'proposed','{"call_id":"call_18e8f48361e5277c98469351f038ec57","tool":"stumble","provider_id":"scripted_3","arguments":"{\"amount\":2}","risk":"moderate"}',1893456000000000);
INSERT INTO "events" VALUES(29,0,'turn_18e8f48361a8d13504121ccb98deda4e',5,'call','{"call_id":"call_18e8f48361e5277c98469351f038ec57","tool":"stumble","status":"awaiting_approval"}',1893456000000000);
INSERT INTO "events" VALUES(30,0,'turn_18e8f48361a8d13504121ccb98deda4e',6,'pending','{"request_id":"req_18e8f48361eb1f7f593e2d918975924c","call_id":"call_18e8f48361e5277c98469351f038ec57","kind":"approval","tool":"stumble"}',1893456000000000);
INSERT INTO "events" VALUES(31,0,'turn_18e8f48361a8d13504121ccb98deda4e',7,'waiting','{"requests":["req_18e8f48361eb1f7f593e2d918975924c"]}',1893456000000000);
INSERT INTO "events" VALUES(32,0,'turn_18e8f48361a8d13504121ccb98deda4e',8,'decided','{"request_id":"req_18e8f48361eb1f7f593e2d918975924c","call_id":"call_18e8f48361e5277c98469351f038ec57","status":"approved","by":"ada"}',1893456000000000);
INSERT INTO "events" VALUES(33,0,'turn_18e8f48361a8d13504121ccb98deda4e',9,'call','{"call_id":"call_18e8f48361e5277c98469351f038ec57","tool":"stumble","status":"cleared"}',1893456000000000);
INSERT INTO "events" VALUES(34,0,'turn_18e8f48361a8d13504121ccb98deda4e',10,'call','{"call_id":"call_18e8f48361e5277c98469351f038ec57","tool":"stumble","status":"running"}',1893456000000000);
INSERT INTO "events" VALUES(35,0,'turn_18e8f48361a8d13504121ccb98deda4e',11,'result','{"call_id":"call_18e8f48361e5277c98469351f038ec57","tool":"stumble","status":"failed","output":"{\"error\":\"ValueError: cannot do 2\"}"}',1893456000000000);
INSERT INTO "events" VALUES(36,0,'turn_18e8f483624927999f6583e53e78e69b',1,'started','{"text":"guess 3"}',1893456000000000);
INSERT INTO "events" VALUES(37,0,'turn_18e8f48361a8d13504121ccb98deda4e',12,'step','{"step":2}',1893456000000000);
INSERT INTO "events" VALUES(38,0,'turn_18e8f48361a8d13504121ccb98deda4e',13,'text','{"text":"Done: ModelSaid."}',1893456000000000);
INSERT INTO "events" VALUES(39,0,'turn_18e8f48361a8d13504121ccb98deda4e',14,'finished','{"reason":"stop","model":"scripted (offline, no real model)"}',1893456000000000);
INSERT INTO "events" VALUES(40,0,'turn_18e8f483624927999f6583e53e78e69b',2,'step','{"step":1}',1893456000000000);
INSERT INTO "events" VALUES(41,0,'turn_18e8f483624927999f6583e53e78e69b',3,'text','{"text":"I call guess."}',1893456000000000);
INSERT INTO "events" VALUES(42,0,'turn_18e8f483624927999f6583e53e78e69b',4,'proposed','{"call_id":"call_18e8f483627adab90c55df0cff2ef7d0","tool":"guess","provider_id":"scripted_4","arguments":"{\"amount\":3}","risk":"moderate"}',1893456000000000);
INSERT INTO "events" VALUES(43,0,'turn_18e8f483624927999f6583e53e78e69b',5,'call','{"call_id":"call_18e8f483627adab90c55df0cff2ef7d0","tool":"guess","status":"awaiting_approval"}',1893456000000000);
INSERT INTO "events" VALUES(44,0,'turn_18e8f483624927999f6583e53e78e69b',6,'pending','{"request_id":"req_18e8f48362daddac33f4871adcf489d1","call_id":"call_18e8f483627adab90c55df0cff2ef7d0","kind":"approval","tool":"guess"}',1893456000000000);
INSERT INTO "events" VALUES(45,0,'turn_18e8f483624927999f6583e53e78e69b',7,'waiting','{"requests":["req_18e8f48362daddac33f4871adcf489d1"]}',1893456000000000);
INSERT INTO "events" VALUES(46,0,'turn_18e8f483624927999f6583e53e78e69b',8,'decided','{"request_id":"req_18e8f48362daddac33f4871adcf489d1","call_id":"call_18e8f483627adab90c55df0cff2ef7d0","status":"approved","by":"ada"}',1893456000000000);
INSERT INTO "events" VALUES(47,0,'turn_18e8f483624927999f6583e53e78e69b',9,'call','{"call_id":"call_18e8f483627adab90c55df0cff2ef7d0","tool":"guess","status":"cleared"}',1893456000000000);
INSERT INTO "events" VALUES(48,0,'turn_18e8f483624927999f6583e53e78e69b',10,'call','{"call_id":"call_18e8f483627adab90c55df0cff2ef7d0","tool":"guess","status":"running"}',1893456000000000);
INSERT INTO "events" VALUES(49,0,'turn_18e8f483624927999f6583e53e78e69b',11,'call','{"call_id":"call_18e8f483627adab90c55df0cff2ef7d0","tool":"guess","status":"in_doubt"}',1893456000000000);
INSERT INTO "events" VALUES(50,0,'turn_18e8f483624927999f6583e53e78e69b',12,'pending','{"request_id":"req_18e8f4836a7cd57416928678610e2f11","call_id":"call_18e8f483627adab90c55df0cff2ef7d0","kind":"outcome","tool":"guess"}',1893456000000000);
INSERT INTO "events" VALUES(51,0,'turn_18e8f4836415a94809ee7c910eba699d',1,'started','{"text":"pay 4"}',1893456000000000);
INSERT INTO "events" VALUES(52,0,'turn_18e8f4836415a94809ee7c910eba699d',2,'step','{"step":1}',1893456000000000);
INSERT INTO "events" VALUES(53,0,'turn_18e8f4836415a94809ee7c910eba699d',3,'text','{"text":"I call pay."}',1893456000000000);
INSERT INTO "events" VALUES(54,0,'turn_18e8f4836415a94809ee7c910eba699d',4,'proposed','{"call_id":"call_18e8f4836c39b1c6c68f9a311f9a901b","tool":"pay","provider_id":"scripted_5","arguments":"{\"amount\":4,\"to\":\"bob\"}","risk":"moderate"}',1893456000000000);
INSERT INTO "events" VALUES(55,0,'turn_18e8f4836415a94809ee7c910eba699d',5,'call','{"call_id":"call_18e8f4836c39b1c6c68f9a311f9a901b","tool":"pay","status":"awaiting_approval"}',1893456000000000);
INSERT INTO "events" VALUES(56,0,'turn_18e8f4836415a94809ee7c910eba699d',6,'pending','{"request_id":"req_18e8f4836cc2e448121c1d3766b15180","call_id":"call_18e8f4836c39b1c6c68f9a311f9a901b","kind":"approval","tool":"pay"}',1893456000000000);
INSERT INTO "events" VALUES(57,0,'turn_18e8f4836415a94809ee7c910eba699d',7,'waiting','{"requests":["req_18e8f4836cc2e448121c1d3766b15180"]}',1893456000000000);
INSERT INTO "events" VALUES(58,0,'turn_18e8f4836415a94809ee7c910eba699d',8,'decided','{"request_id":"req_18e8f4836cc2e448121c1d3766b15180","call_id":"call_18e8f4836c39b1c6c68f9a311f9a901b","status":"approved","by":"ada"}',1893456000000000);
INSERT INTO "events" VALUES(59,0,'turn_18e8f4836415a94809ee7c910eba699d',9,'call','{"call_id":"call_18e8f4836c39b1c6c68f9a311f9a901b","tool":"pay","status":"proposed"}',1893456000000000);
INSERT INTO "events" VALUES(60,0,'turn_18e8f4836415a94809ee7c910eba699d',10,'call','{"call_id":"call_18e8f4836c39b1c6c68f9a311f9a901b","tool":"pay","status":"cleared"}',1893456000000000);
INSERT INTO "events" VALUES(61,0,'turn_18e8f4836415a94809ee7c910eba699d',11,'call','{"call_id":"call_18e8f4836c39b1c6c68f9a311f9a901b","tool":"pay","status":"running"}',1893456000000000);
INSERT INTO "events" VALUES(62,0,'turn_18e8f4836415a94809ee7c910eba699d',12,'result','{"call_id":"call_18e8f4836c39b1c6c68f9a311f9a901b","tool":"pay","status":"succeeded","output":"\"paid 40 to eve\""}',1893456000000000);
INSERT INTO "events" VALUES(63,0,'turn_18e8f483701da8ffaca7798b2739cc54',1,'started','{"text":"pay 5"}',1893456000000000);
INSERT INTO "events" VALUES(64,0,'turn_18e8f4836415a94809ee7c910eba699d',13,'step','{"step":2}',1893456000000000);
INSERT INTO "events" VALUES(65,0,'turn_18e8f4836415a94809ee7c910eba699d',14,'text','{"text":"Done: ModelSaid."}',1893456000000000);
INSERT INTO "events" VALUES(66,0,'turn_18e8f4836415a94809ee7c910eba699d',15,'finished','{"reason":"stop","model":"scripted (offline, no real model)"}',1893456000000000);
INSERT INTO "events" VALUES(67,0,'turn_18e8f483701da8ffaca7798b2739cc54',2,'step','{"step":1}',1893456000000000);
INSERT INTO "events" VALUES(68,0,'turn_18e8f483701da8ffaca7798b2739cc54',3,'text','{"text":"I call pay."}',1893456000000000);
INSERT INTO "events" VALUES(69,0,'turn_18e8f483701da8ffaca7798b2739cc54',4,'proposed','{"call_id":"call_18e8f483781f4ff848c86fa2a19c27fc","tool":"pay","provider_id":"scripted_6","arguments":"{\"amount\":5,\"to\":\"bob\"}","risk":"moderate"}',1893456000000000);
INSERT INTO "events" VALUES(70,0,'turn_18e8f483701da8ffaca7798b2739cc54',5,'call','{"call_id":"call_18e8f483781f4ff848c86fa2a19c27fc","tool":"pay","status":"awaiting_approval"}',1893456000000000);
INSERT INTO "events" VALUES(71,0,'turn_18e8f483701da8ffaca7798b2739cc54',6,'pending','{"request_id":"req_18e8f483784e535bac2699ec5617df38","call_id":"call_18e8f483781f4ff848c86fa2a19c27fc","kind":"approval","tool":"pay"}',1893456000000000);
INSERT INTO "events" VALUES(72,0,'turn_18e8f483701da8ffaca7798b2739cc54',7,'waiting','{"requests":["req_18e8f483784e535bac2699ec5617df38"]}',1893456000000000);
INSERT INTO "events" VALUES(73,0,'turn_18e8f483701da8ffaca7798b2739cc54',8,'decided','{"request_id":"req_18e8f483784e535bac2699ec5617df38","call_id":"call_18e8f483781f4ff848c86fa2a19c27fc","status":"rejected","by":"ada"}',1893456000000000);
INSERT INTO "events" VALUES(74,0,'turn_18e8f483701da8ffaca7798b2739cc54',9,'result','{"call_id":"call_18e8f483781f4ff848c86fa2a19c27fc","tool":"pay","status":"rejected","output":"{\"error\":\"Tool call refused by the user. User''s feedback: no\"}"}',1893456000000000);
INSERT INTO "events" VALUES(75,0,'turn_18e8f483807d1677b7ffa1f9a205d8b4',1,'started','{"text":"pay 6"}',1893456000000000);
INSERT INTO "events" VALUES(76,0,'turn_18e8f483701da8ffaca7798b2739cc54',10,'step','{"step":2}',1893456000000000);
INSERT INTO "events" VALUES(77,0,'turn_18e8f483701da8ffaca7798b2739cc54',11,'text','{"text":"Done: ModelSaid."}',1893456000000000);
INSERT INTO "events" VALUES(78,0,'turn_18e8f483701da8ffaca7798b2739cc54',12,'finished','{"reason":"stop","model":"scripted (offline, no real model)"}',1893456000000000);
INSERT INTO "events" VALUES(79,0,'turn_18e8f483807d1677b7ffa1f9a205d8b4',2,'step','{"step":1}',1893456000000000);
INSERT INTO "events" VALUES(80,0,'turn_18e8f483807d1677b7ffa1f9a205d8b4',3,'text','{"text":"I call pay."}',1893456000000000);
INSERT INTO "events" VALUES(81,0,'turn_18e8f483807d1677b7ffa1f9a205d8b4',4,'proposed','{"call_id":"call_18e8f483828abf6e554f2d677d3e337f","tool":"pay","provider_id":"scripted_7","arguments":"{\"amount\":6,\"to\":\"bob\"}","risk":"moderate"}',1893456000000000);
INSERT INTO "events" VALUES(82,0,'turn_18e8f483807d1677b7ffa1f9a205d8b4',5,'call','{"call_id":"call_18e8f483828abf6e554f2d677d3e337f","tool":"pay","status":"awaiting_approval"}',1893456000000000);
INSERT INTO "events" VALUES(83,0,'turn_18e8f483807d1677b7ffa1f9a205d8b4',6,'pending','{"request_id":"req_18e8f48382921633fc0a8bcd424aa895","call_id":"call_18e8f483828abf6e554f2d677d3e337f","kind":"approval","tool":"pay"}',1893456000000000);
INSERT INTO "events" VALUES(84,0,'turn_18e8f483807d1677b7ffa1f9a205d8b4',7,'waiting','{"requests":["req_18e8f48382921633fc0a8bcd424aa895"]}',1893456000000000);
INSERT INTO "events" VALUES(85,0,'turn_18e8f483807d1677b7ffa1f9a205d8b4',8,'result','{"call_id":"call_18e8f483828abf6e554f2d677d3e337f","tool":"pay","status":"cancelled","output":"{\"error\":\"The user stopped the turn before this call ran.\"}"}',1893456000000000);
INSERT INTO "events" VALUES(86,0,'turn_18e8f483807d1677b7ffa1f9a205d8b4',9,'finished','{"reason":"stopped"}',1893456000000000);
INSERT INTO "events" VALUES(87,0,'turn_18e8f48384906941697e55f2b637f148',1,'started','{"text":"pay 7"}',1893456000000000);
INSERT INTO "events" VALUES(88,0,'turn_18e8f48384906941697e55f2b637f148',2,'step','{"step":1}',1893456000000000);
INSERT INTO "events" VALUES(89,0,'turn_18e8f48384906941697e55f2b637f148',3,'text','{"text":"I call pay."}',1893456000000000);
INSERT INTO "events" VALUES(90,0,'turn_18e8f48384906941697e55f2b637f148',4,'proposed','{"call_id":"call_18e8f48384b89b598879d8ec43f5e194","tool":"pay","provider_id":"scripted_8","arguments":"{\"amount\":7,\"to\":\"bob\"}","risk":"moderate"}',1893456000000000);
INSERT INTO "events" VALUES(91,0,'turn_18e8f48384906941697e55f2b637f148',5,'call','{"call_id":"call_18e8f48384b89b598879d8ec43f5e194","tool":"pay","status":"awaiting_approval"}',1893456000000000);
INSERT INTO "events" VALUES(92,0,'turn_18e8f48384906941697e55f2b637f148',6,'pending','{"request_id":"req_18e8f48384fb6285630012c5149816e6","call_id":"call_18e8f48384b89b598879d8ec43f5e194","kind":"approval","tool":"pay"}',1893456000000000);
INSERT INTO "events" VALUES(93,0,'turn_18e8f48384906941697e55f2b637f148',7,'waiting','{"requests":["req_18e8f48384fb6285630012c5149816e6"]}',1893456000000000);
INSERT INTO "events" VALUES(94,0,'turn_18e8f48384906941697e55f2b637f148',8,'result','{"call_id":"call_18e8f48384b89b598879d8ec43f5e194","tool":"pay","status":"superseded","output":"{\"error\":\"The call was cancelled because the user sent a new message.\"}"}',1893456000000000);
INSERT INTO "events" VALUES(95,0,'turn_18e8f48384906941697e55f2b637f148',9,'finished','{"reason":"stopped"}',1893456000000000);
INSERT INTO "events" VALUES(96,0,'turn_18e8f48385383cde702641f54b0ca9c5',1,'started','{"text":"look elsewhere"}',1893456000000000);
INSERT INTO "events" VALUES(97,0,'turn_18e8f48385383cde702641f54b0ca9c5',2,'step','{"step":1}',1893456000000000);
INSERT INTO "events" VALUES(98,0,'turn_18e8f48385383cde702641f54b0ca9c5',3,'text','{"text":"I call look."}',1893456000000000);
INSERT INTO "events" VALUES(99,0,'turn_18e8f48385383cde702641f54b0ca9c5',4,'proposed','{"call_id":"call_18e8f483859ee6dab3f64314e929aaf9","tool":"look","provider_id":"scripted_9","arguments":"{\"place\":\"elsewhere\"}","risk":"safe"}',1893456000000000);
INSERT INTO "events" VALUES(100,0,'turn_18e8f48385383cde702641f54b0ca9c5',5,'call','{"call_id":"call_18e8f483859ee6dab3f64314e929aaf9","tool":"look","status":"cleared"}',1893456000000000);
INSERT INTO "events" VALUES(101,0,'turn_18e8f48385383cde702641f54b0ca9c5',6,'call','{"call_id":"call_18e8f483859ee6dab3f64314e929aaf9","tool":"look","status":"running"}',1893456000000000);
INSERT INTO "events" VALUES(102,0,'turn_18e8f48385383cde702641f54b0ca9c5',7,'result','{"call_id":"call_18e8f483859ee6dab3f64314e929aaf9","tool":"look","status":"succeeded","output":"\"looked at elsewhere\""}',1893456000000000);
INSERT INTO "events" VALUES(103,0,'turn_18e8f48385383cde702641f54b0ca9c5',8,'step','{"step":2}',1893456000000000);
INSERT INTO "events" VALUES(104,0,'turn_18e8f48385383cde702641f54b0ca9c5',9,'text','{"text":"Done: ModelSaid."}',1893456000000000);
INSERT INTO "events" VALUES(105,0,'turn_18e8f48385383cde702641f54b0ca9c5',10,'finished','{"reason":"stop","model":"scripted (offline, no real model)"}',1893456000000000);
INSERT INTO "events" VALUES(106,0,'turn_18e8f483868392317a93040eafe7cc70',1,'started','{"text":"hurry 8"}',1893456000000000);
INSERT INTO "events" VALUES(107,0,'turn_18e8f483868392317a93040eafe7cc70',2,'step','{"step":1}',1893456000000000);
INSERT INTO "events" VALUES(108,0,'turn_18e8f483868392317a93040eafe7cc70',3,'text','{"text":"I call hurry."}',1893456000000000);
INSERT INTO "events" VALUES(109,0,'turn_18e8f483868392317a93040eafe7cc70',4,'proposed','{"call_id":"call_18e8f48386bbfa52e56bc54dfc9a7cb8","tool":"hurry","provider_id":"scripted_10","arguments":"{\"amount\":8}","risk":"moderate"}',1893456000000000);
INSERT INTO "events" VALUES(110,0,'turn_18e8f483868392317a93040eafe7cc70',5,'call','{"call_id":"call_18e8f48386bbfa52e56bc54dfc9a7cb8","tool":"hurry","status":"awaiting_approval"}',1893456000000000);
INSERT INTO "events" VALUES(111,0,'turn_18e8f483868392317a93040eafe7cc70',6,'pending','{"request_id":"req_18e8f48386c555eadb63fc9e3a145631","call_id":"call_18e8f48386bbfa52e56bc54dfc9a7cb8","kind":"approval","tool":"hurry"}',1893456000000000);
INSERT INTO "events" VALUES(112,0,'turn_18e8f483868392317a93040eafe7cc70',7,'waiting','{"requests":["req_18e8f48386c555eadb63fc9e3a145631"]}',1893456000000000);
INSERT INTO "events" VALUES(113,0,'turn_18e8f483868392317a93040eafe7cc70',8,'result','{"call_id":"call_18e8f48386bbfa52e56bc54dfc9a7cb8","tool":"hurry","status":"expired","output":"{\"error\":\"Approval request timed out.\"}"}',1893456120000000);
INSERT INTO "events" VALUES(114,0,'turn_18e8f483868392317a93040eafe7cc70',9,'decided','{"request_id":"req_18e8f48386c555eadb63fc9e3a145631","call_id":"call_18e8f48386bbfa52e56bc54dfc9a7cb8","status":"expired","by":"deadline"}',1893456120000000);
INSERT INTO "events" VALUES(115,0,'turn_18e8f483868392317a93040eafe7cc70',10,'step','{"step":2}',1893456120000000);
INSERT INTO "events" VALUES(116,0,'turn_18e8f483868392317a93040eafe7cc70',11,'text','{"text":"Done: ModelSaid."}',1893456120000000);
INSERT INTO "events" VALUES(117,0,'turn_18e8f483868392317a93040eafe7cc70',12,'finished','{"reason":"stop","model":"scripted (offline, no real model)"}',1893456120000000);
INSERT INTO "events" VALUES(118,0,'turn_18e8f483d6c4b411f5f23a74005c1238',1,'started','{"text":"pay 10"}',1893456120000000);
INSERT INTO "events" VALUES(119,0,'turn_18e8f483d6c4b411f5f23a74005c1238',2,'step','{"step":1}',1893456120000000);
INSERT INTO "events" VALUES(120,0,'turn_18e8f483d6c4b411f5f23a74005c1238',3,'text','{"text":"I call pay."}',1893456120000000);
INSERT INTO "events" VALUES(121,0,'turn_18e8f483d6c4b411f5f23a74005c1238',4,'proposed','{"call_id":"call_18e8f483d8a065ccb7afdcec5417deb2","tool":"pay","provider_id":"scripted_11","arguments":"{\"amount\":10,\"to\":\"bob\"}","risk":"moderate"}',1893456120000000);
INSERT INTO "events" VALUES(122,0,'turn_18e8f483d6c4b411f5f23a74005c1238',5,'call','{"call_id":"call_18e8f483d8a065ccb7afdcec5417deb2","tool":"pay","status":"awaiting_approval"}',1893456120000000);
INSERT INTO "events" VALUES(123,0,'turn_18e8f483d6c4b411f5f23a74005c1238',6,'pending','{"request_id":"req_18e8f483d8b95a3298423cf9a1435d9a","call_id":"call_18e8f483d8a065ccb7afdcec5417deb2","kind":"approval","tool":"pay"}',1893456120000000);
INSERT INTO "events" VALUES(124,0,'turn_18e8f483d6c4b411f5f23a74005c1238',7,'waiting','{"requests":["req_18e8f483d8b95a3298423cf9a1435d9a"]}',1893456120000000);
INSERT INTO "events" VALUES(125,0,'turn_18e8f483d8e73f1ae1ed89d49bdc2e7a',1,'started','{"text":"wire 11"}',1893456120000000);
INSERT INTO "events" VALUES(126,0,'turn_18e8f483d8e73f1ae1ed89d49bdc2e7a',2,'step','{"step":1}',1893456120000000);
INSERT INTO "events" VALUES(127,0,'turn_18e8f483d8e73f1ae1ed89d49bdc2e7a',3,'text','{"text":"I call wire."}',1893456120000000);
INSERT INTO "events" VALUES(128,0,'turn_18e8f483d8e73f1ae1ed89d49bdc2e7a',4,'proposed','{"call_id":"call_18e8f483d91ea1d4d32eba7bec4adc70","tool":"wire","provider_id":"scripted_12","arguments":"{\"amount\":11}","risk":"dangerous"}',1893456120000000);
INSERT INTO "events" VALUES(129,0,'turn_18e8f483d8e73f1ae1ed89d49bdc2e7a',5,'call','{"call_id":"call_18e8f483d91ea1d4d32eba7bec4adc70","tool":"wire","status":"awaiting_approval"}',1893456120000000);
INSERT INTO "events" VALUES(130,0,'turn_18e8f483d8e73f1ae1ed89d49bdc2e7a',6,'pending','{"request_id":"req_18e8f483d9245fe797dee97ea7cb4fc2","call_id":"call_18e8f483d91ea1d4d32eba7bec4adc70","kind":"approval","tool":"wire"}',1893456120000000);
INSERT INTO "events" VALUES(131,0,'turn_18e8f483d8e73f1ae1ed89d49bdc2e7a',7,'waiting','{"requests":["req_18e8f483d9245fe797dee97ea7cb4fc2"]}',1893456120000000);
INSERT INTO "events" VALUES(132,0,'turn_18e8f483d8e73f1ae1ed89d49bdc2e7a',8,'call','{"call_id":"call_18e8f483d91ea1d4d32eba7bec4adc70","tool":"wire","status":"awaiting_approval"}',1893456120000000);
INSERT INTO "events" VALUES(133,0,'turn_18e8f483d958af543d684d5021941628',1,'started','{"text":"pay_by_form 12"}',1893456120000000);
INSERT INTO "events" VALUES(134,0,'turn_18e8f483d958af543d684d5021941628',2,'step','{"step":1}',1893456120000000);
INSERT INTO "events" VALUES(135,0,'turn_18e8f483d958af543d684d5021941628',3,'text','{"text":"I call pay_by_form."}',1893456120000000);
INSERT INTO "events" VALUES(136,0,'turn_18e8f483d958af543d684d5021941628',4,'proposed','{"call_id":"call_18e8f483d9688c5dc70c1f1d19e00a6c","tool":"pay_by_form","provider_id":"scripted_13","arguments":"{\"amount\":12}","risk":"moderate"}',1893456120000000);
INSERT INTO "events" VALUES(137,0,'turn_18e8f483d958af543d684d5021941628',5,'call','{"call_id":"call_18e8f483d9688c5dc70c1f1d19e00a6c","tool":"pay_by_form","status":"awaiting_input"}',1893456120000000);
INSERT INTO "events" VALUES(138,0,'turn_18e8f483d958af543d684d5021941628',6,'pending','{"request_id":"req_18e8f483d96dad5e6716e23ca6cbfffb","call_id":"call_18e8f483d9688c5dc70c1f1d19e00a6c","kind":"input","tool":"pay_by_form"}',1893456120000000);
INSERT INTO "events" VALUES(139,0,'turn_18e8f483d958af543d684d5021941628',7,'waiting','{"requests":["req_18e8f483d96dad5e6716e23ca6cbfffb"]}',1893456120000000);
INSERT INTO "events" VALUES(140,0,'turn_18e8f483d97be06b4ce867cd3a039c54',1,'started','{"text":"pay_by_form 13"}',1893456120000000);
INSERT INTO "events" VALUES(141,0,'turn_18e8f483d97be06b4ce867cd3a039c54',2,'step','{"step":1}',1893456120000000);
INSERT INTO "events" VALUES(142,0,'turn_18e8f483d97be06b4ce867cd3a039c54',3,'text','{"text":"I call pay_by_form."}',1893456120000000);
INSERT INTO "events" VALUES(143,0,'turn_18e8f483d97be06b4ce867cd3a039c54',4,'proposed','{"call_id":"call_18e8f483d98d0585ca3b85014346f739","tool":"pay_by_form","provider_id":"scripted_14","arguments":"{\"amount\":13}","risk":"moderate"}',1893456120000000);
INSERT INTO "events" VALUES(144,0,'turn_18e8f483d97be06b4ce867cd3a039c54',5,'call','{"call_id":"call_18e8f483d98d0585ca3b85014346f739","tool":"pay_by_form","status":"awaiting_input"}',1893456120000000);
INSERT INTO "events" VALUES(145,0,'turn_18e8f483d97be06b4ce867cd3a039c54',6,'pending','{"request_id":"req_18e8f483d99699214d13381a7bf51b4c","call_id":"call_18e8f483d98d0585ca3b85014346f739","kind":"input","tool":"pay_by_form"}',1893456120000000);
INSERT INTO "events" VALUES(146,0,'turn_18e8f483d97be06b4ce867cd3a039c54',7,'waiting','{"requests":["req_18e8f483d99699214d13381a7bf51b4c"]}',1893456120000000);
INSERT INTO "events" VALUES(147,0,'turn_18e8f483d97be06b4ce867cd3a039c54',8,'call','{"call_id":"call_18e8f483d98d0585ca3b85014346f739","tool":"pay_by_form","status":"awaiting_input"}',1893456120000000);
INSERT INTO "events" VALUES(148,0,'turn_18e8f483d9f27cebe5808a10abd30760',1,'started','{"text":"pay_by_form 14"}',1893456120000000);
INSERT INTO "events" VALUES(149,0,'turn_18e8f483d9f27cebe5808a10abd30760',2,'step','{"step":1}',1893456120000000);
INSERT INTO "events" VALUES(150,0,'turn_18e8f483d9f27cebe5808a10abd30760',3,'text','{"text":"I call pay_by_form."}',1893456120000000);
INSERT INTO "events" VALUES(151,0,'turn_18e8f483d9f27cebe5808a10abd30760',4,'proposed','{"call_id":"call_18e8f483da069e15c109fff8db4be957","tool":"pay_by_form","provider_id":"scripted_15","arguments":"{\"amount\":14}","risk":"moderate"}',1893456120000000);
INSERT INTO "events" VALUES(152,0,'turn_18e8f483d9f27cebe5808a10abd30760',5,'call','{"call_id":"call_18e8f483da069e15c109fff8db4be957","tool":"pay_by_form","status":"awaiting_input"}',1893456120000000);
INSERT INTO "events" VALUES(153,0,'turn_18e8f483d9f27cebe5808a10abd30760',6,'pending','{"request_id":"req_18e8f483da0ac60cd26196f2bbef8895","call_id":"call_18e8f483da069e15c109fff8db4be957","kind":"input","tool":"pay_by_form"}',1893456120000000);
INSERT INTO "events" VALUES(154,0,'turn_18e8f483d9f27cebe5808a10abd30760',7,'waiting','{"requests":["req_18e8f483da0ac60cd26196f2bbef8895"]}',1893456120000000);
INSERT INTO "events" VALUES(155,0,'turn_18e8f483d9f27cebe5808a10abd30760',8,'decided','{"request_id":"req_18e8f483da0ac60cd26196f2bbef8895","call_id":"call_18e8f483da069e15c109fff8db4be957","status":"answered","by":"ada"}',1893456120000000);
INSERT INTO "events" VALUES(156,0,'turn_18e8f483d9f27cebe5808a10abd30760',9,'call','{"call_id":"call_18e8f483da069e15c109fff8db4be957","tool":"pay_by_form","status":"proposed"}',1893456120000000);
INSERT INTO "events" VALUES(157,0,'turn_18e8f483d9f27cebe5808a10abd30760',10,'call','{"call_id":"call_18e8f483da069e15c109fff8db4be957","tool":"pay_by_form","status":"cleared"}',1893456120000000);
INSERT INTO "events" VALUES(158,0,'turn_18e8f483d9f27cebe5808a10abd30760',11,'call','{"call_id":"call_18e8f483da069e15c109fff8db4be957","tool":"pay_by_form","status":"running"}',1893456120000000);
INSERT INTO "events" VALUES(159,0,'turn_18e8f483daa7aa76a3b06dfb9334c28d',1,'started','{"text":"sign 15"}',1893456120000000);
INSERT INTO "events" VALUES(160,0,'turn_18e8f483d9f27cebe5808a10abd30760',12,'result','{"call_id":"call_18e8f483da069e15c109fff8db4be957","tool":"pay_by_form","status":"succeeded","output":"\"paid 14 to bob with [secret]\""}',1893456120000000);
INSERT INTO "events" VALUES(161,0,'turn_18e8f483daa7aa76a3b06dfb9334c28d',2,'step','{"step":1}',1893456120000000);
INSERT INTO "events" VALUES(162,0,'turn_18e8f483daa7aa76a3b06dfb9334c28d',3,'text','{"text":"I call sign."}',1893456120000000);
INSERT INTO "events" VALUES(163,0,'turn_18e8f483daa7aa76a3b06dfb9334c28d',4,'proposed','{"call_id":"call_18e8f483dac80f5f9de947c0c3439705","tool":"sign","provider_id":"scripted_16","arguments":"{\"amount\":15}","risk":"moderate"}',1893456120000000);
INSERT INTO "events" VALUES(164,0,'turn_18e8f483daa7aa76a3b06dfb9334c28d',5,'call','{"call_id":"call_18e8f483dac80f5f9de947c0c3439705","tool":"sign","status":"awaiting_result"}',1893456120000000);
INSERT INTO "events" VALUES(165,0,'turn_18e8f483daa7aa76a3b06dfb9334c28d',6,'pending','{"request_id":"req_18e8f483dae611691e793da01aac1098","call_id":"call_18e8f483dac80f5f9de947c0c3439705","kind":"result","tool":"sign"}',1893456120000000);
INSERT INTO "events" VALUES(166,0,'turn_18e8f483daa7aa76a3b06dfb9334c28d',7,'waiting','{"requests":["req_18e8f483dae611691e793da01aac1098"]}',1893456120000000);
INSERT INTO "events" VALUES(167,0,'turn_18e8f483d9f27cebe5808a10abd30760',13,'step','{"step":2}',1893456120000000);
INSERT INTO "events" VALUES(168,0,'turn_18e8f483d9f27cebe5808a10abd30760',14,'text','{"text":"Done: ModelSaid."}',1893456120000000);
INSERT INTO "events" VALUES(169,0,'turn_18e8f483d9f27cebe5808a10abd30760',15,'finished','{"reason":"stop","model":"scripted (offline, no real model)"}',1893456120000000);
INSERT INTO "events" VALUES(170,0,'turn_18e8f483db09b94651a666fe2ce00d14',1,'started','{"text":"order 16"}',1893456120000000);
INSERT INTO "events" VALUES(171,0,'turn_18e8f483db09b94651a666fe2ce00d14',2,'step','{"step":1}',1893456120000000);
INSERT INTO "events" VALUES(172,0,'turn_18e8f483db09b94651a666fe2ce00d14',3,'text','{"text":"I call order."}',1893456120000000);
INSERT INTO "events" VALUES(173,0,'turn_18e8f483db09b94651a666fe2ce00d14',4,'proposed','{"call_id":"call_18e8f483db285519b1dd1cec126e8a68","tool":"order","provider_id":"scripted_17","arguments":"{\"amount\":16}","risk":"moderate"}',1893456120000000);
INSERT INTO "events" VALUES(174,0,'turn_18e8f483db09b94651a666fe2ce00d14',5,'call','{"call_id":"call_18e8f483db285519b1dd1cec126e8a68","tool":"order","status":"cleared"}',1893456120000000);
INSERT INTO "events" VALUES(175,0,'turn_18e8f483db09b94651a666fe2ce00d14',6,'call','{"call_id":"call_18e8f483db285519b1dd1cec126e8a68","tool":"order","status":"running"}',1893456120000000);
INSERT INTO "events" VALUES(176,0,'turn_18e8f483db09b94651a666fe2ce00d14',7,'call','{"call_id":"call_18e8f483db285519b1dd1cec126e8a68","tool":"order","status":"awaiting_result"}',1893456120000000);
INSERT INTO "events" VALUES(177,0,'turn_18e8f483db09b94651a666fe2ce00d14',8,'pending','{"request_id":"req_18e8f483db548b713be2c99473e3015a","call_id":"call_18e8f483db285519b1dd1cec126e8a68","kind":"result","tool":"order"}',1893456120000000);
INSERT INTO "events" VALUES(178,0,'turn_18e8f483db71a358367f53779e058f5b',1,'started','{"text":"pay 17"}',1893456120000000);
INSERT INTO "events" VALUES(179,0,'turn_18e8f483db71a358367f53779e058f5b',2,'step','{"step":1}',1893456120000000);
INSERT INTO "events" VALUES(180,0,'turn_18e8f483db71a358367f53779e058f5b',3,'text','{"text":"I call pay."}',1893456120000000);
INSERT INTO "events" VALUES(181,0,'turn_18e8f483db71a358367f53779e058f5b',4,'proposed','{"call_id":"call_18e8f483db8835453206eab888e951bc","tool":"pay","provider_id":"scripted_18","arguments":"{\"amount\":17,\"to\":\"bob\"}","risk":"moderate"}',1893456120000000);
INSERT INTO "events" VALUES(182,0,'turn_18e8f483db71a358367f53779e058f5b',5,'call','{"call_id":"call_18e8f483db8835453206eab888e951bc","tool":"pay","status":"awaiting_approval"}',1893456120000000);
INSERT INTO "events" VALUES(183,0,'turn_18e8f483db71a358367f53779e058f5b',6,'pending','{"request_id":"req_18e8f483db927a55058ff6dc6aba8ebe","call_id":"call_18e8f483db8835453206eab888e951bc","kind":"approval","tool":"pay"}',1893456120000000);
INSERT INTO "events" VALUES(184,0,'turn_18e8f483db71a358367f53779e058f5b',7,'waiting','{"requests":["req_18e8f483db927a55058ff6dc6aba8ebe"]}',1893456120000000);
INSERT INTO "events" VALUES(185,0,'turn_18e8f483db9ee0bc7283559313868b47',1,'started','{"text":"ship 18"}',1893456120000000);
INSERT INTO "events" VALUES(186,0,'turn_18e8f483db9ee0bc7283559313868b47',2,'step','{"step":1}',1893456120000000);
INSERT INTO "events" VALUES(187,0,'turn_18e8f483db9ee0bc7283559313868b47',3,'text','{"text":"I call ship."}',1893456120000000);
INSERT INTO "events" VALUES(188,0,'turn_18e8f483db9ee0bc7283559313868b47',4,'proposed','{"call_id":"call_18e8f483dbabf382b2dfc599751a6ffd","tool":"ship","provider_id":"scripted_19","arguments":"{\"amount\":18}","risk":"moderate"}',1893456120000000);
INSERT INTO "events" VALUES(189,0,'turn_18e8f483db9ee0bc7283559313868b47',5,'call','{"call_id":"call_18e8f483dbabf382b2dfc599751a6ffd","tool":"ship","status":"awaiting_approval"}',1893456120000000);
INSERT INTO "events" VALUES(190,0,'turn_18e8f483db9ee0bc7283559313868b47',6,'pending','{"request_id":"req_18e8f483dbaf7d1cf76e33a36fd75b4c","call_id":"call_18e8f483dbabf382b2dfc599751a6ffd","kind":"approval","tool":"ship"}',1893456120000000);
INSERT INTO "events" VALUES(191,0,'turn_18e8f483db9ee0bc7283559313868b47',7,'waiting','{"requests":["req_18e8f483dbaf7d1cf76e33a36fd75b4c"]}',1893456120000000);
INSERT INTO "events" VALUES(192,0,'turn_18e8f483db9ee0bc7283559313868b47',8,'decided','{"request_id":"req_18e8f483dbaf7d1cf76e33a36fd75b4c","call_id":"call_18e8f483dbabf382b2dfc599751a6ffd","status":"approved","by":"ada"}',1893456000000000);
INSERT INTO "events" VALUES(193,0,'turn_18e8f483db9ee0bc7283559313868b47',9,'call','{"call_id":"call_18e8f483dbabf382b2dfc599751a6ffd","tool":"ship","status":"cleared"}',1893456000000000);
INSERT INTO "events" VALUES(194,0,'turn_18e8f483db9ee0bc7283559313868b47',10,'call','{"call_id":"call_18e8f483dbabf382b2dfc599751a6ffd","tool":"ship","status":"running"}',1893456000000000);
INSERT INTO "events" VALUES(195,0,'turn_18e8f483db71a358367f53779e058f5b',8,'decided','{"request_id":"req_18e8f483db927a55058ff6dc6aba8ebe","call_id":"call_18e8f483db8835453206eab888e951bc","status":"approved","by":"ada"}',1893456120000000);
INSERT INTO "events" VALUES(196,0,'turn_18e8f483db71a358367f53779e058f5b',9,'call','{"call_id":"call_18e8f483db8835453206eab888e951bc","tool":"pay","status":"cleared"}',1893456120000000);
CREATE TABLE facts (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_facts PRIMARY KEY (name)
);
INSERT INTO "facts" VALUES('vault_canary','v1.test.QscxPPqQ7s-5MofRYExW18FxItao_JgplgrN0cPC-XDdpw');
CREATE TABLE links (
	id TEXT NOT NULL, 
	person TEXT NOT NULL, 
	purpose TEXT NOT NULL, 
	request_id TEXT, 
	kid TEXT NOT NULL, 
	mac TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	used_at BIGINT, 
	CONSTRAINT pk_links PRIMARY KEY (id), 
	CONSTRAINT fk_links_person FOREIGN KEY(person) REFERENCES people (id)
);
CREATE TABLE messages (
	id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	turn_id TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	role TEXT NOT NULL, 
	text TEXT NOT NULL, 
	body TEXT, 
	open_calls INTEGER NOT NULL, 
	incomplete BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT pk_messages PRIMARY KEY (id), 
	CONSTRAINT uq_messages_conversation_id_position UNIQUE (conversation_id, position), 
	CONSTRAINT ck_messages_open_calls CHECK (open_calls >= 0), 
	CONSTRAINT fk_messages_conversation_id FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	CONSTRAINT fk_messages_turn_id FOREIGN KEY(turn_id) REFERENCES turns (id)
);
INSERT INTO "messages" VALUES('msg_18e8f4835a341b6f84494c9f1abb017b','conv_18e8f4835a331fc5950bc3f641cda4d1','turn_18e8f4835a300490c8df87ee16e9d4de',1,'user','look garden',NULL,0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f4835b0aacb8c563f0259f657a19','conv_18e8f4835a331fc5950bc3f641cda4d1','turn_18e8f4835a300490c8df87ee16e9d4de',2,'assistant','I call look.','{"text":"I call look.","reasoning":"","proposals":[{"provider_id":"scripted_1","tool":"look","arguments":"{\"place\": \"garden\"}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f4835c97df1378bfa61d292762fb','conv_18e8f4835a331fc5950bc3f641cda4d1','turn_18e8f4835a300490c8df87ee16e9d4de',3,'assistant','Done: ModelSaid.','{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f4835cee16500921f4619e748164','conv_18e8f4835ced1c0f5814945b925bdba8','turn_18e8f4835ce293657f34a60a18c81722',1,'user','pay 1',NULL,0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f4835d1e99e7c1b9eaae2654d369','conv_18e8f4835ced1c0f5814945b925bdba8','turn_18e8f4835ce293657f34a60a18c81722',2,'assistant','I call pay.','{"text":"I call pay.","reasoning":"","proposals":[{"provider_id":"scripted_2","tool":"pay","arguments":"{\"amount\": 1}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f48361c117856481db4178038e53','conv_18e8f48361c08edf30d742c3050c6a73','turn_18e8f48361a8d13504121ccb98deda4e',1,'user','stumble 2',NULL,0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f48361e9b8724b3d4c4ac9bede38','conv_18e8f4835ced1c0f5814945b925bdba8','turn_18e8f4835ce293657f34a60a18c81722',3,'assistant','Done: ModelSaid.','{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f48361e24031575aa81c9f4c59dc','conv_18e8f48361c08edf30d742c3050c6a73','turn_18e8f48361a8d13504121ccb98deda4e',2,'assistant','I call stumble.','{"text":"I call stumble.","reasoning":"","proposals":[{"provider_id":"scripted_3","tool":"stumble","arguments":"{\"amount\": 2}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f4836250b3f6f1adfb48a693318b','conv_18e8f48362503ac41f1f642fca5ab5bf','turn_18e8f483624927999f6583e53e78e69b',1,'user','guess 3',NULL,0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f48362513b51bb1d1f06ffbaf93c','conv_18e8f48361c08edf30d742c3050c6a73','turn_18e8f48361a8d13504121ccb98deda4e',3,'assistant','Done: ModelSaid.','{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f4836278a35b1d73c524288940d0','conv_18e8f48362503ac41f1f642fca5ab5bf','turn_18e8f483624927999f6583e53e78e69b',2,'assistant','I call guess.','{"text":"I call guess.","reasoning":"","proposals":[{"provider_id":"scripted_4","tool":"guess","arguments":"{\"amount\": 3}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',1,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f4836a7fdb756bf25c20537983c1','conv_18e8f4836a7f28dfa15e8285c4c9abb9','turn_18e8f4836415a94809ee7c910eba699d',1,'user','pay 4',NULL,0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f4836c366d567bc58a822e26c678','conv_18e8f4836a7f28dfa15e8285c4c9abb9','turn_18e8f4836415a94809ee7c910eba699d',2,'assistant','I call pay.','{"text":"I call pay.","reasoning":"","proposals":[{"provider_id":"scripted_5","tool":"pay","arguments":"{\"amount\": 4}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f4837064e6d77e2e4a220d4903d1','conv_18e8f48370643da5e7a3e18b6766e4ed','turn_18e8f483701da8ffaca7798b2739cc54',1,'user','pay 5',NULL,0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f48370658d89ef0a3404e91edb7c','conv_18e8f4836a7f28dfa15e8285c4c9abb9','turn_18e8f4836415a94809ee7c910eba699d',3,'assistant','Done: ModelSaid.','{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f483781be6fe79fd87b00d4f8729','conv_18e8f48370643da5e7a3e18b6766e4ed','turn_18e8f483701da8ffaca7798b2739cc54',2,'assistant','I call pay.','{"text":"I call pay.","reasoning":"","proposals":[{"provider_id":"scripted_6","tool":"pay","arguments":"{\"amount\": 5}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f48381503bffefe402f242a2262b','conv_18e8f483814f7ea70880be50fcb7df4c','turn_18e8f483807d1677b7ffa1f9a205d8b4',1,'user','pay 6',NULL,0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f48382906d78a6feafd92996ee1e','conv_18e8f48370643da5e7a3e18b6766e4ed','turn_18e8f483701da8ffaca7798b2739cc54',3,'assistant','Done: ModelSaid.','{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f4838287e64d68bfd8f2f9f2331f','conv_18e8f483814f7ea70880be50fcb7df4c','turn_18e8f483807d1677b7ffa1f9a205d8b4',2,'assistant','I call pay.','{"text":"I call pay.","reasoning":"","proposals":[{"provider_id":"scripted_7","tool":"pay","arguments":"{\"amount\": 6}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f48384a0406b5e0d5e31734ac527','conv_18e8f483849f5ecfad833cdf88bfb1ea','turn_18e8f48384906941697e55f2b637f148',1,'user','pay 7',NULL,0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f48384b5db92323f733f6e725361','conv_18e8f483849f5ecfad833cdf88bfb1ea','turn_18e8f48384906941697e55f2b637f148',2,'assistant','I call pay.','{"text":"I call pay.","reasoning":"","proposals":[{"provider_id":"scripted_8","tool":"pay","arguments":"{\"amount\": 7}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f483855402ba50a3e7ba038dbca6','conv_18e8f483849f5ecfad833cdf88bfb1ea','turn_18e8f48385383cde702641f54b0ca9c5',3,'user','look elsewhere',NULL,0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f483859c7d5f497a4c5d3692bf26','conv_18e8f483849f5ecfad833cdf88bfb1ea','turn_18e8f48385383cde702641f54b0ca9c5',4,'assistant','I call look.','{"text":"I call look.","reasoning":"","proposals":[{"provider_id":"scripted_9","tool":"look","arguments":"{\"place\": \"elsewhere\"}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f4838665fde208210b46c5a512d1','conv_18e8f483849f5ecfad833cdf88bfb1ea','turn_18e8f48385383cde702641f54b0ca9c5',5,'assistant','Done: ModelSaid.','{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f48386865772f8d297e217a61924','conv_18e8f4838685d98f87b0a22f5704ebb7','turn_18e8f483868392317a93040eafe7cc70',1,'user','hurry 8',NULL,0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f48386b9af15083b582fdc29f4e3','conv_18e8f4838685d98f87b0a22f5704ebb7','turn_18e8f483868392317a93040eafe7cc70',2,'assistant','I call hurry.','{"text":"I call hurry.","reasoning":"","proposals":[{"provider_id":"scripted_10","tool":"hurry","arguments":"{\"amount\": 8}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456000000000);
INSERT INTO "messages" VALUES('msg_18e8f483d6c7602b1db3de1ec0cb72d5','conv_18e8f4838685d98f87b0a22f5704ebb7','turn_18e8f483868392317a93040eafe7cc70',3,'assistant','Done: ModelSaid.','{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483d6c9022cde5d21607d6a59e4','conv_18e8f483d6c8b6e82a696826396067ad','turn_18e8f483d6c4b411f5f23a74005c1238',1,'user','pay 10',NULL,0,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483d89cff99b8ba3294c1abad69','conv_18e8f483d6c8b6e82a696826396067ad','turn_18e8f483d6c4b411f5f23a74005c1238',2,'assistant','I call pay.','{"text":"I call pay.","reasoning":"","proposals":[{"provider_id":"scripted_11","tool":"pay","arguments":"{\"amount\": 10}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',1,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483d8ea361ef38802d173e468ee','conv_18e8f483d8e9b5bac81fa8ac3b6ae443','turn_18e8f483d8e73f1ae1ed89d49bdc2e7a',1,'user','wire 11',NULL,0,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483d91cb2b7f15af45619a11ee0','conv_18e8f483d8e9b5bac81fa8ac3b6ae443','turn_18e8f483d8e73f1ae1ed89d49bdc2e7a',2,'assistant','I call wire.','{"text":"I call wire.","reasoning":"","proposals":[{"provider_id":"scripted_12","tool":"wire","arguments":"{\"amount\": 11}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',1,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483d95c034c68b8dbf951aeb298','conv_18e8f483d95b9947f74c4c90622aeeef','turn_18e8f483d958af543d684d5021941628',1,'user','pay_by_form 12',NULL,0,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483d966ebc41634d70b6a229571','conv_18e8f483d95b9947f74c4c90622aeeef','turn_18e8f483d958af543d684d5021941628',2,'assistant','I call pay_by_form.','{"text":"I call pay_by_form.","reasoning":"","proposals":[{"provider_id":"scripted_13","tool":"pay_by_form","arguments":"{\"amount\": 12}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',1,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483d97fe40025acb57a1c5512b8','conv_18e8f483d97f8c5595ea773d5be274af','turn_18e8f483d97be06b4ce867cd3a039c54',1,'user','pay_by_form 13',NULL,0,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483d98bff69781e74825a1c95ca','conv_18e8f483d97f8c5595ea773d5be274af','turn_18e8f483d97be06b4ce867cd3a039c54',2,'assistant','I call pay_by_form.','{"text":"I call pay_by_form.","reasoning":"","proposals":[{"provider_id":"scripted_14","tool":"pay_by_form","arguments":"{\"amount\": 13}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',1,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483d9f4e85ab9d8feb5d2e6f98d','conv_18e8f483d9f48b21f14428d0f58559c4','turn_18e8f483d9f27cebe5808a10abd30760',1,'user','pay_by_form 14',NULL,0,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483da057cdd36394f8d18e5bc53','conv_18e8f483d9f48b21f14428d0f58559c4','turn_18e8f483d9f27cebe5808a10abd30760',2,'assistant','I call pay_by_form.','{"text":"I call pay_by_form.","reasoning":"","proposals":[{"provider_id":"scripted_15","tool":"pay_by_form","arguments":"{\"amount\": 14}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483daadbe5e5e7208fb71a606f3','conv_18e8f483daad6bfbe34e5c9ef0f7f238','turn_18e8f483daa7aa76a3b06dfb9334c28d',1,'user','sign 15',NULL,0,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483dac6f92f4314a3ca931c6948','conv_18e8f483daad6bfbe34e5c9ef0f7f238','turn_18e8f483daa7aa76a3b06dfb9334c28d',2,'assistant','I call sign.','{"text":"I call sign.","reasoning":"","proposals":[{"provider_id":"scripted_16","tool":"sign","arguments":"{\"amount\": 15}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',1,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483db0699d88eb6a0954339ea3c','conv_18e8f483d9f48b21f14428d0f58559c4','turn_18e8f483d9f27cebe5808a10abd30760',3,'assistant','Done: ModelSaid.','{"text":"Done: ModelSaid.","reasoning":"","proposals":[],"finish":"stop","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',0,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483db17a78330c58c7587fc8e43','conv_18e8f483db1748af6973bb51b27c26fc','turn_18e8f483db09b94651a666fe2ce00d14',1,'user','order 16',NULL,0,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483db272d6d6084f5bc074478f7','conv_18e8f483db1748af6973bb51b27c26fc','turn_18e8f483db09b94651a666fe2ce00d14',2,'assistant','I call order.','{"text":"I call order.","reasoning":"","proposals":[{"provider_id":"scripted_17","tool":"order","arguments":"{\"amount\": 16}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',1,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483db73cb89952b4710ba53e9ce','conv_18e8f483db7375823fa77b755089334c','turn_18e8f483db71a358367f53779e058f5b',1,'user','pay 17',NULL,0,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483db870c12ca7c8d51e5398efb','conv_18e8f483db7375823fa77b755089334c','turn_18e8f483db71a358367f53779e058f5b',2,'assistant','I call pay.','{"text":"I call pay.","reasoning":"","proposals":[{"provider_id":"scripted_18","tool":"pay","arguments":"{\"amount\": 17}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',1,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483dba109bf3d05bc948d663423','conv_18e8f483dba0b58548e9405df3989d10','turn_18e8f483db9ee0bc7283559313868b47',1,'user','ship 18',NULL,0,0,1893456120000000);
INSERT INTO "messages" VALUES('msg_18e8f483dbaaeb4912bf68d345b641b2','conv_18e8f483dba0b58548e9405df3989d10','turn_18e8f483db9ee0bc7283559313868b47',2,'assistant','I call ship.','{"text":"I call ship.","reasoning":"","proposals":[{"provider_id":"scripted_19","tool":"ship","arguments":"{\"amount\": 18}"}],"finish":"tool_calls","usage":{"input_tokens":0,"output_tokens":0},"model":"scripted (offline, no real model)","wire":null,"wire_format":null}',1,0,1893456120000000);
CREATE TABLE overrides (
	tool TEXT NOT NULL, 
	settings TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	CONSTRAINT pk_overrides PRIMARY KEY (tool)
);
INSERT INTO "overrides" VALUES('look','{"risk":"moderate","requires_approval":null,"decide_within":null,"impact":null,"category":null,"audience":null,"confirmation":null}','ada',1893456120000000);
CREATE TABLE people (
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	roles TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	behind TEXT, 
	disabled BOOLEAN NOT NULL, 
	CONSTRAINT pk_people PRIMARY KEY (id), 
	CONSTRAINT ck_people_kind CHECK (kind IN ('human', 'service', 'agent'))
);
INSERT INTO "people" VALUES('ada','ada','human','["admin","user"]',1893456120000000,NULL,0);
INSERT INTO "people" VALUES('finn','finn','human','["finance"]',1893456120000000,NULL,0);
INSERT INTO "people" VALUES('fay','fay','human','["finance"]',1893456120000000,NULL,0);
CREATE TABLE request_audience (
	request_id TEXT NOT NULL, 
	principal TEXT NOT NULL, 
	risk TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	closed_at BIGINT, 
	CONSTRAINT pk_request_audience PRIMARY KEY (request_id, principal), 
	CONSTRAINT fk_request_audience_request_id FOREIGN KEY(request_id) REFERENCES requests (id)
);
INSERT INTO "request_audience" VALUES('req_18e8f483d9245fe797dee97ea7cb4fc2','role:finance','dangerous',1893456120000000,NULL);
INSERT INTO "request_audience" VALUES('req_18e8f483db548b713be2c99473e3015a','role:system','moderate',1893456120000000,NULL);
CREATE TABLE requests (
	id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	status TEXT NOT NULL, 
	call_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	turn_id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	owner TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	tool TEXT NOT NULL, 
	risk TEXT NOT NULL, 
	audience TEXT NOT NULL, 
	quorum INTEGER NOT NULL, 
	digest TEXT NOT NULL, 
	policy_version TEXT NOT NULL, 
	question TEXT NOT NULL, 
	draft TEXT, 
	created_at BIGINT NOT NULL, 
	decide_by BIGINT, 
	closed_at BIGINT, 
	closed_by TEXT, 
	owner_behind TEXT, 
	confirmation TEXT, 
	votes INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_requests PRIMARY KEY (id), 
	CONSTRAINT ck_requests_status CHECK (status IN ('open', 'approved', 'rejected', 'answered', 'expired', 'cancelled', 'superseded')), 
	CONSTRAINT fk_requests_call_id FOREIGN KEY(call_id) REFERENCES calls (id)
);
INSERT INTO "requests" VALUES('req_18e8f4835de5dbf779745313d681a9bd','approval','approved','call_18e8f4835d21a18c17984de2603c0206','conv_18e8f4835ced1c0f5814945b925bdba8','turn_18e8f4835ce293657f34a60a18c81722',1,'ada','agent','pay','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'983df615966dad7407c6e0ba3d8dc245a339f9345fcf44fa8170c678e99770cd','eb01d45afc625085','{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456000000000,1893542400000000,1893456000000000,'ada',NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f48361eb1f7f593e2d918975924c','approval','approved','call_18e8f48361e5277c98469351f038ec57','conv_18e8f48361c08edf30d742c3050c6a73','turn_18e8f48361a8d13504121ccb98deda4e',1,'ada','agent','stumble','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'d4b0a9319a599378269cf932941ba102b97b1578347f69dd11e5c05612929b7e','eb01d45afc625085','{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456000000000,1893542400000000,1893456000000000,'ada',NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f48362daddac33f4871adcf489d1','approval','approved','call_18e8f483627adab90c55df0cff2ef7d0','conv_18e8f48362503ac41f1f642fca5ab5bf','turn_18e8f483624927999f6583e53e78e69b',1,'ada','agent','guess','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'f6e770135b8f1b7a20cc0272c7a1238a4daf4a84d11ae6766e32dbaa528e26f1','eb01d45afc625085','{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456000000000,1893542400000000,1893456000000000,'ada',NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f4836a7cd57416928678610e2f11','outcome','open','call_18e8f483627adab90c55df0cff2ef7d0','conv_18e8f48362503ac41f1f642fca5ab5bf','turn_18e8f483624927999f6583e53e78e69b',1,'ada','agent','guess','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'1ea1e8b36aebc1339c8c8ad052e345a7d826c7b7bc9eb39ed3975491647e731b','eb01d45afc625085','{"reason":"no answer to 3","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456000000000,NULL,NULL,NULL,NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f4836cc2e448121c1d3766b15180','approval','approved','call_18e8f4836c39b1c6c68f9a311f9a901b','conv_18e8f4836a7f28dfa15e8285c4c9abb9','turn_18e8f4836415a94809ee7c910eba699d',1,'ada','agent','pay','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'a7a7131e1e28e1e5bac7f2046e7c56f172eef818262b7c7280a52f6a71f55e92','eb01d45afc625085','{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456000000000,1893542400000000,1893456000000000,'ada',NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f483784e535bac2699ec5617df38','approval','rejected','call_18e8f483781f4ff848c86fa2a19c27fc','conv_18e8f48370643da5e7a3e18b6766e4ed','turn_18e8f483701da8ffaca7798b2739cc54',1,'ada','agent','pay','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'f0568018b0e2c8b16dfd295cc4ff3836a672dfc0ffdf68e17c66fd0b5035048e','eb01d45afc625085','{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456000000000,1893542400000000,1893456000000000,'ada',NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f48382921633fc0a8bcd424aa895','approval','cancelled','call_18e8f483828abf6e554f2d677d3e337f','conv_18e8f483814f7ea70880be50fcb7df4c','turn_18e8f483807d1677b7ffa1f9a205d8b4',1,'ada','agent','pay','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'e5bcf8b51122e4be9bb8c16d1658264f4a9be814c880213e989eb651ba082998','eb01d45afc625085','{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456000000000,1893542400000000,1893456000000000,'ada',NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f48384fb6285630012c5149816e6','approval','superseded','call_18e8f48384b89b598879d8ec43f5e194','conv_18e8f483849f5ecfad833cdf88bfb1ea','turn_18e8f48384906941697e55f2b637f148',1,'ada','agent','pay','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'c0ab50245ceee6d4707c224c411e2dac9031e35479b84d7b337e6b783a99f8b0','eb01d45afc625085','{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456000000000,1893542400000000,1893456000000000,'ada',NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f48386c555eadb63fc9e3a145631','approval','expired','call_18e8f48386bbfa52e56bc54dfc9a7cb8','conv_18e8f4838685d98f87b0a22f5704ebb7','turn_18e8f483868392317a93040eafe7cc70',1,'ada','agent','hurry','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'ff5cc3b8f9bace792153cf10b34b68acc76bc625403c024c41afae432c25d9ac','eb01d45afc625085','{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456000000000,1893456060000000,1893456120000000,'deadline',NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f483d8b95a3298423cf9a1435d9a','approval','open','call_18e8f483d8a065ccb7afdcec5417deb2','conv_18e8f483d6c8b6e82a696826396067ad','turn_18e8f483d6c4b411f5f23a74005c1238',1,'ada','agent','pay','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'61ea5dffa55fc3a0d2999762cbb5b92713e8439a5773498235901121280cbaf3','eb01d45afc625085','{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456120000000,1893542520000000,NULL,NULL,NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f483d9245fe797dee97ea7cb4fc2','approval','open','call_18e8f483d91ea1d4d32eba7bec4adc70','conv_18e8f483d8e9b5bac81fa8ac3b6ae443','turn_18e8f483d8e73f1ae1ed89d49bdc2e7a',1,'ada','agent','wire','dangerous','{"owner":false,"roles":["finance"],"people":[],"exclude_requester":false}',2,'e1fe14fb4d3850b05f4e08c14bac1498e2aee3b508248538a044e8e61bd80c2e','eb01d45afc625085','{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456120000000,1893542520000000,NULL,NULL,NULL,'step',1);
INSERT INTO "requests" VALUES('req_18e8f483d96dad5e6716e23ca6cbfffb','input','open','call_18e8f483d9688c5dc70c1f1d19e00a6c','conv_18e8f483d95b9947f74c4c90622aeeef','turn_18e8f483d958af543d684d5021941628',1,'ada','agent','pay_by_form','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'2479bf4f2b99503e2d5027018270021af723838c06314ac893285a534f125dae','eb01d45afc625085','{"reason":"Who gets it?","text":"","preview":null,"metadata":{},"form":{"reason":"Who gets it?","fields":[{"name":"to","label":"To","type":"text"},{"name":"pin","label":"Pin","type":"secret"}],"save":true,"family":null},"prefilled":{}}',NULL,1893456120000000,1893542520000000,NULL,NULL,NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f483d99699214d13381a7bf51b4c','input','open','call_18e8f483d98d0585ca3b85014346f739','conv_18e8f483d97f8c5595ea773d5be274af','turn_18e8f483d97be06b4ce867cd3a039c54',1,'ada','agent','pay_by_form','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'75fcbcac97c680156b244172a4815fea025e02dc9fad8f8bfee2e98ea75b4622','eb01d45afc625085','{"reason":"Who gets it?","text":"","preview":null,"metadata":{},"form":{"reason":"Who gets it?","fields":[{"name":"to","label":"To","type":"text"},{"name":"pin","label":"Pin","type":"secret"}],"save":true,"family":null},"prefilled":{}}','v1.test.Q_RBdU3La-ejbO2QoNSuBQ0Mo7o59REhc_oN-C9A2La3t82Egg13B-Aan88sYSl8Msqdsg',1893456120000000,1893542520000000,NULL,NULL,NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f483da0ac60cd26196f2bbef8895','input','answered','call_18e8f483da069e15c109fff8db4be957','conv_18e8f483d9f48b21f14428d0f58559c4','turn_18e8f483d9f27cebe5808a10abd30760',1,'ada','agent','pay_by_form','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'0001b6de5450fee05c3af411e4ac4f17559818b5daafb774060c1de3f67e16b5','eb01d45afc625085','{"reason":"Who gets it?","text":"","preview":null,"metadata":{},"form":{"reason":"Who gets it?","fields":[{"name":"to","label":"To","type":"text"},{"name":"pin","label":"Pin","type":"secret"}],"save":true,"family":null},"prefilled":{}}',NULL,1893456120000000,1893542520000000,1893456120000000,'ada',NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f483dae611691e793da01aac1098','result','open','call_18e8f483dac80f5f9de947c0c3439705','conv_18e8f483daad6bfbe34e5c9ef0f7f238','turn_18e8f483daa7aa76a3b06dfb9334c28d',1,'ada','agent','sign','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'92100b71d3ab7dc6b7aa22254fdec68f3b97601d720a405fe01e7d2a5b4dd9dd','eb01d45afc625085','{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456120000000,1893542520000000,NULL,NULL,NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f483db548b713be2c99473e3015a','result','open','call_18e8f483db285519b1dd1cec126e8a68','conv_18e8f483db1748af6973bb51b27c26fc','turn_18e8f483db09b94651a666fe2ce00d14',1,'ada','agent','order','moderate','{"owner":false,"roles":["system"],"people":[],"exclude_requester":false}',1,'200826b80b7571ecaeb42326cb4aeeefb54fd44d0ff5f83cc5b92bfeb65fd6d2','eb01d45afc625085','{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456120000000,NULL,NULL,NULL,NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f483db927a55058ff6dc6aba8ebe','approval','approved','call_18e8f483db8835453206eab888e951bc','conv_18e8f483db7375823fa77b755089334c','turn_18e8f483db71a358367f53779e058f5b',1,'ada','agent','pay','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'f3413fa8e515e30c2a96f7fa571aae8c4157bf50b0fbedb63e6535e1a8fee711','eb01d45afc625085','{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456120000000,1893542520000000,1893456120000000,'ada',NULL,'click',0);
INSERT INTO "requests" VALUES('req_18e8f483dbaf7d1cf76e33a36fd75b4c','approval','approved','call_18e8f483dbabf382b2dfc599751a6ffd','conv_18e8f483dba0b58548e9405df3989d10','turn_18e8f483db9ee0bc7283559313868b47',1,'ada','agent','ship','moderate','{"owner":true,"roles":[],"people":[],"exclude_requester":false}',1,'ff88cab7d0344c2a4a9c10b518325611d367845895226a12157e3366bd54d694','eb01d45afc625085','{"reason":"","text":"","preview":null,"metadata":{},"form":null,"prefilled":{}}',NULL,1893456120000000,1893542520000000,1893456000000000,'ada',NULL,'click',0);
CREATE TABLE revisions (
	call_id TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	arguments TEXT NOT NULL, 
	arguments_digest TEXT NOT NULL, 
	author TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	CONSTRAINT pk_revisions PRIMARY KEY (call_id, revision), 
	CONSTRAINT fk_revisions_call_id FOREIGN KEY(call_id) REFERENCES calls (id)
);
INSERT INTO "revisions" VALUES('call_18e8f4836c39b1c6c68f9a311f9a901b',1,'{"amount":4,"to":"bob"}','3b2cf3385a0711708a600a4f9c09beba93d133cea0c7ba8d29b504db259f8615','model','agent',1893456000000000);
INSERT INTO "revisions" VALUES('call_18e8f4836c39b1c6c68f9a311f9a901b',2,'{"amount":40,"to":"eve"}','7a6ede4ccf50be3f129703f2a157449f8fade028b819119bd4b46d7b0364fc4d','edit','ada',1893456000000000);
INSERT INTO "revisions" VALUES('call_18e8f483da069e15c109fff8db4be957',1,'{"amount":14}','08c8e4defe54e40551b6b00b9a2954fb75001fd103918b2905ea22a587cc6dfa','model','agent',1893456120000000);
INSERT INTO "revisions" VALUES('call_18e8f483da069e15c109fff8db4be957',2,'{"amount":14,"pin":{"$secret":"sec_18e8f483da1f11814cda800b43f75cbd"},"to":"bob"}','78a8e02cd167ce25a2921c8f2b3c538dc88f7ecc4c66fd354cf798bcc6e3cfa7','answer','ada',1893456120000000);
CREATE TABLE saved_values (
	conversation_id TEXT NOT NULL, 
	scope TEXT NOT NULL, 
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	secret BOOLEAN NOT NULL, 
	at BIGINT NOT NULL, 
	CONSTRAINT pk_saved_values PRIMARY KEY (conversation_id, scope, name)
);
INSERT INTO "saved_values" VALUES('conv_18e8f483d9f48b21f14428d0f58559c4','tool:pay_by_form','to','"bob"',0,1893456120000000);
INSERT INTO "saved_values" VALUES('conv_18e8f483d9f48b21f14428d0f58559c4','tool:pay_by_form','pin','{"$secret":"sec_18e8f483da1f11814cda800b43f75cbd"}',1,1893456120000000);
CREATE TABLE secrets (
	id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	call_id TEXT, 
	field TEXT NOT NULL, 
	sealed TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	CONSTRAINT pk_secrets PRIMARY KEY (id)
);
INSERT INTO "secrets" VALUES('sec_18e8f483da1f11814cda800b43f75cbd','conv_18e8f483d9f48b21f14428d0f58559c4',NULL,'pin','v1.test.FCtzUuuXm_mRkJ5LHPQrgoOS0hDO9C9fXckQ1v4khBS6PJZDvAZrulVk',1893456120000000);
CREATE TABLE sessions (
	id TEXT NOT NULL, 
	person TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	how TEXT NOT NULL, 
	roles TEXT NOT NULL, 
	scopes TEXT NOT NULL, 
	api_key TEXT, 
	created_at BIGINT NOT NULL, 
	seen_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	ended_at BIGINT, 
	request_id TEXT, 
	CONSTRAINT pk_sessions PRIMARY KEY (id), 
	CONSTRAINT uq_sessions_hash UNIQUE (hash), 
	CONSTRAINT fk_sessions_person FOREIGN KEY(person) REFERENCES people (id)
);
CREATE TABLE turns (
	id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	agent TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	status TEXT NOT NULL, 
	step INTEGER NOT NULL, 
	fence INTEGER NOT NULL, 
	worker TEXT, 
	lease_until BIGINT, 
	idempotency_key TEXT, 
	body_digest TEXT, 
	guarded BOOLEAN NOT NULL, 
	error TEXT, 
	created_at BIGINT NOT NULL, 
	ended_at BIGINT, 
	CONSTRAINT pk_turns PRIMARY KEY (id), 
	CONSTRAINT ck_turns_status CHECK (status IN ('running', 'waiting', 'ready', 'done', 'failed', 'stopped')), 
	CONSTRAINT uq_turns_conversation_id_number UNIQUE (conversation_id, number), 
	CONSTRAINT fk_turns_conversation_id FOREIGN KEY(conversation_id) REFERENCES conversations (id)
);
INSERT INTO "turns" VALUES('turn_18e8f4835a300490c8df87ee16e9d4de','conv_18e8f4835a331fc5950bc3f641cda4d1',1,'agent','ada','done',2,2,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,'0d5e313a241546ce4fba21f52871d5e2d65bbec2d9c00cfddb23b8e64d67be87',0,NULL,1893456000000000,1893456000000000);
INSERT INTO "turns" VALUES('turn_18e8f4835ce293657f34a60a18c81722','conv_18e8f4835ced1c0f5814945b925bdba8',1,'agent','ada','done',2,2,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,'10f17321303892ec9f471faec6e385d7fda4b2983a864e4f2a3e10ef68148c37',0,NULL,1893456000000000,1893456000000000);
INSERT INTO "turns" VALUES('turn_18e8f48361a8d13504121ccb98deda4e','conv_18e8f48361c08edf30d742c3050c6a73',1,'agent','ada','done',2,2,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,'8502d6934bd123ec47a87546592a4d1a0eb3f6c2d7361182514ce883344ca743',0,NULL,1893456000000000,1893456000000000);
INSERT INTO "turns" VALUES('turn_18e8f483624927999f6583e53e78e69b','conv_18e8f48362503ac41f1f642fca5ab5bf',1,'agent','ada','waiting',1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,'1d88780a98521d9483fb58150780b9188dbe790ee404d4f14396b5a75414ad21',0,NULL,1893456000000000,NULL);
INSERT INTO "turns" VALUES('turn_18e8f4836415a94809ee7c910eba699d','conv_18e8f4836a7f28dfa15e8285c4c9abb9',1,'agent','ada','done',2,2,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,'9192f7622ff7d5f151bf2d1ae5a9877cb24c48ff82cdf1e7271ada79cb2292b0',0,NULL,1893456000000000,1893456000000000);
INSERT INTO "turns" VALUES('turn_18e8f483701da8ffaca7798b2739cc54','conv_18e8f48370643da5e7a3e18b6766e4ed',1,'agent','ada','done',2,2,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,'11b4777ce3baffbe8a80db049602eec4156da52d1b95520e5b0301a42b41f499',0,NULL,1893456000000000,1893456000000000);
INSERT INTO "turns" VALUES('turn_18e8f483807d1677b7ffa1f9a205d8b4','conv_18e8f483814f7ea70880be50fcb7df4c',1,'agent','ada','stopped',1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,'d0eb4adff65eb2fa1f3bfb677729a3049e290d29e82d23e6be316d5086a95f50',0,NULL,1893456000000000,1893456000000000);
INSERT INTO "turns" VALUES('turn_18e8f48384906941697e55f2b637f148','conv_18e8f483849f5ecfad833cdf88bfb1ea',1,'agent','ada','stopped',1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,'2f1341fb639ee338105a00b7edbde199a53a1c0bead01c4c2c19edaf044b730a',0,NULL,1893456000000000,1893456000000000);
INSERT INTO "turns" VALUES('turn_18e8f48385383cde702641f54b0ca9c5','conv_18e8f483849f5ecfad833cdf88bfb1ea',2,'agent','ada','done',2,2,'worker_18e8f48355f8534d9728285ae936e93a',1893456030000000,NULL,'31e6ee127c8dd86cd5f693edf426a97043868c11eac9541c84dbae2ea22fb1fc',0,NULL,1893456000000000,1893456000000000);
INSERT INTO "turns" VALUES('turn_18e8f483868392317a93040eafe7cc70','conv_18e8f4838685d98f87b0a22f5704ebb7',1,'agent','ada','done',2,2,'worker_18e8f48355f8534d9728285ae936e93a',1893456150000000,NULL,'55ad23f78e4601d3e88f0a5929794cb0dcfc2fc9b1c4f89b54bd6bf6649abb15',0,NULL,1893456000000000,1893456120000000);
INSERT INTO "turns" VALUES('turn_18e8f483d6c4b411f5f23a74005c1238','conv_18e8f483d6c8b6e82a696826396067ad',1,'agent','ada','waiting',1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456150000000,NULL,'d74221806dfb9d494c0afd7a2769c2209cb0a29352115cead71fc7588f5a6273',0,NULL,1893456120000000,NULL);
INSERT INTO "turns" VALUES('turn_18e8f483d8e73f1ae1ed89d49bdc2e7a','conv_18e8f483d8e9b5bac81fa8ac3b6ae443',1,'agent','ada','waiting',1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456150000000,NULL,'a7b04bf68095398d97da585287a213917e2d36888abbad5989d02ffaf6b1bb2a',0,NULL,1893456120000000,NULL);
INSERT INTO "turns" VALUES('turn_18e8f483d958af543d684d5021941628','conv_18e8f483d95b9947f74c4c90622aeeef',1,'agent','ada','waiting',1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456150000000,NULL,'a363448a7d6191d975b0efb6bbc56185c830aa14aee2f17d931e6ddb57e2292d',0,NULL,1893456120000000,NULL);
INSERT INTO "turns" VALUES('turn_18e8f483d97be06b4ce867cd3a039c54','conv_18e8f483d97f8c5595ea773d5be274af',1,'agent','ada','waiting',1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456150000000,NULL,'43974c97f6c43d517f136c7496661adfebdf0e8e1ad308a77773def3e4654a3a',0,NULL,1893456120000000,NULL);
INSERT INTO "turns" VALUES('turn_18e8f483d9f27cebe5808a10abd30760','conv_18e8f483d9f48b21f14428d0f58559c4',1,'agent','ada','done',2,2,'worker_18e8f48355f8534d9728285ae936e93a',1893456150000000,NULL,'3299e81230f79a8311d34f5ab264eeb0ed84b387cff94ac12212695fde2305fd',0,NULL,1893456120000000,1893456120000000);
INSERT INTO "turns" VALUES('turn_18e8f483daa7aa76a3b06dfb9334c28d','conv_18e8f483daad6bfbe34e5c9ef0f7f238',1,'agent','ada','waiting',1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456150000000,NULL,'fab7188e41250b7dabd048de9a59845af98dc44f3c1b1e666ad846ee25f6b7d8',0,NULL,1893456120000000,NULL);
INSERT INTO "turns" VALUES('turn_18e8f483db09b94651a666fe2ce00d14','conv_18e8f483db1748af6973bb51b27c26fc',1,'agent','ada','waiting',1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456150000000,NULL,'578d109de667fbcb0a566a93dc146639dcc19653e80be2edece351d21d0443d5',0,NULL,1893456120000000,NULL);
INSERT INTO "turns" VALUES('turn_18e8f483db71a358367f53779e058f5b','conv_18e8f483db7375823fa77b755089334c',1,'agent','ada','waiting',1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456150000000,NULL,'1f7f77cbb7e6743c812ad86b32f7977288bdfda3682818ddadb293f1abe6a85d',0,NULL,1893456120000000,NULL);
INSERT INTO "turns" VALUES('turn_18e8f483db9ee0bc7283559313868b47','conv_18e8f483dba0b58548e9405df3989d10',1,'agent','ada','waiting',1,1,'worker_18e8f48355f8534d9728285ae936e93a',1893456150000000,NULL,'9805bbeb50091d0becde0a0e941976de7cca361998988885bf1cd065c2601297',0,NULL,1893456120000000,NULL);
CREATE INDEX ix_audit_at ON audit (at, id);
CREATE INDEX ix_audit_call ON audit (call_id);
CREATE INDEX ix_audit_conversation ON audit (conversation_id);
CREATE INDEX ix_conversations_created ON conversations (created_at, id);
CREATE INDEX ix_conversations_owner_created ON conversations (owner, created_at);
CREATE INDEX ix_events_feed ON events (xid, id) WHERE xid > 0;
CREATE INDEX ix_people_behind ON people (behind) WHERE behind IS NOT NULL;
CREATE INDEX ix_secrets_call ON secrets (call_id);
CREATE INDEX ix_api_keys_person ON api_keys (person);
CREATE INDEX ix_links_expires ON links (expires_at);
CREATE INDEX ix_sessions_expires ON sessions (expires_at);
CREATE INDEX ix_sessions_person ON sessions (person);
CREATE INDEX ix_turns_owner_created ON turns (owner, created_at);
CREATE INDEX ix_turns_ready ON turns (created_at) WHERE status = 'ready';
CREATE INDEX ix_turns_running ON turns (lease_until) WHERE status = 'running';
CREATE UNIQUE INDEX uq_turns_active ON turns (conversation_id) WHERE status IN ('ready', 'running', 'waiting');
CREATE UNIQUE INDEX uq_turns_key ON turns (owner, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX ix_messages_turn ON messages (turn_id, position);
CREATE INDEX ix_calls_cleared ON calls (created_at) WHERE status = 'cleared';
CREATE INDEX ix_calls_conversation ON calls (conversation_id, created_at);
CREATE INDEX ix_calls_running ON calls (lease_until) WHERE status = 'running';
CREATE INDEX ix_calls_turn ON calls (turn_id);
CREATE UNIQUE INDEX uq_calls_task ON calls (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX ix_requests_agent_open ON requests (agent) WHERE status = 'open';
CREATE INDEX ix_requests_call ON requests (call_id);
CREATE INDEX ix_requests_created ON requests (created_at, id);
CREATE INDEX ix_requests_due ON requests (decide_by) WHERE status = 'open' AND decide_by IS NOT NULL;
CREATE INDEX ix_requests_open ON requests (risk, created_at, id) WHERE status = 'open';
CREATE INDEX ix_requests_owner ON requests (owner, created_at, id);
CREATE INDEX ix_requests_owner_open ON requests (owner, risk, created_at, id) WHERE status = 'open';
CREATE INDEX ix_requests_turn ON requests (turn_id);
CREATE UNIQUE INDEX uq_requests_open_call ON requests (call_id) WHERE status = 'open';
CREATE UNIQUE INDEX uq_decisions_key ON decisions (person, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX ix_request_audience_all ON request_audience (principal, created_at, request_id);
CREATE INDEX ix_request_audience_open ON request_audience (principal, risk, created_at, request_id) WHERE closed_at IS NULL;
CREATE VIEW tool_calls AS
SELECT calls.id AS tool_call_id,
       calls.tool AS name,
       calls.arguments AS arguments,
       (SELECT CASE requests.status
                 WHEN 'approved' THEN TRUE
                 WHEN 'open' THEN NULL
                 ELSE FALSE
               END
          FROM requests
         WHERE requests.call_id = calls.id AND requests.kind = 'approval'
         ORDER BY requests.created_at DESC, requests.id DESC
         LIMIT 1) AS validated,
       calls.message_id AS message_id
  FROM calls;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',196);
COMMIT;
