import base64
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from assent.channels.webhook.signing import SigningSecrets, new_secret
from assent.errors import InvalidParameter

BODY = '{"type":"request.opened","data":{"arguments":{"name":"Ad\u00e4"}}}'.encode()


# requirement: W7
def test_the_reference_library_verifies_a_message() -> None:
    secret = new_secret()

    headers = SigningSecrets((secret,)).headers("msg_1", datetime.now(UTC), BODY)

    assert Webhook(secret).verify(BODY, headers)["type"] == "request.opened"
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(BODY + b" ", headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(new_secret()).verify(BODY, headers)


# requirement: W7
def test_the_vector_of_the_specification_has_its_signature() -> None:
    secrets = SigningSecrets(("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",))
    at = datetime.fromtimestamp(1614265330, UTC)

    headers = secrets.headers("msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}')

    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


# requirement: W7
def test_while_a_secret_is_replaced_both_verify_the_same_message() -> None:
    old, new = new_secret(), new_secret()

    headers = SigningSecrets((new, old)).headers("msg_1", datetime.now(UTC), BODY)

    assert len(headers["webhook-signature"].split(" ")) == 2
    for secret in (old, new):
        Webhook(secret).verify(BODY, headers)


# requirement: W7
def test_a_further_attempt_keeps_the_id_and_has_a_time_of_its_own() -> None:
    secrets, now = SigningSecrets((new_secret(),)), datetime.now(UTC)

    first = secrets.headers("msg_1", now, BODY)
    second = secrets.headers("msg_1", now + timedelta(seconds=60), BODY)

    assert first["webhook-id"] == second["webhook-id"]
    assert int(second["webhook-timestamp"]) == int(first["webhook-timestamp"]) + 60
    assert first["webhook-signature"] != second["webhook-signature"]


def test_a_clock_of_another_zone_signs_the_same_moment() -> None:
    secrets, now = SigningSecrets((new_secret(),)), datetime.now(UTC)
    elsewhere = now.astimezone(timezone(timedelta(hours=-7)))

    assert secrets.headers("msg_1", elsewhere, BODY) == secrets.headers("msg_1", now, BODY)


@pytest.mark.parametrize(
    "texts",
    [
        *((), ("",), ("whsec_",), ("secret",), (new_secret().removeprefix("whsec_"),)),
        *(("whsec_c2hvcnQ=",), ("whsec_" + base64.b64encode(b"x" * 65).decode(),)),
        *(("whsec_not base64!" + "A" * 40,), (new_secret(), "x"), (None,), (b"whsec_" * 9,)),
        tuple(new_secret() for _ in range(5)),
    ],
)
def test_anything_but_a_few_good_secrets_is_refused_without_being_repeated(texts: Any) -> None:
    with pytest.raises(InvalidParameter) as refused:
        SigningSecrets(texts)

    said = str(refused.value)
    assert not any(text in said for text in map(str, texts) if len(text) > 8)


def test_one_secret_needs_no_list() -> None:
    secret = new_secret()

    assert SigningSecrets(secret) == SigningSecrets((secret,))


def test_secrets_are_in_no_repr() -> None:
    secret = new_secret()

    assert secret.removeprefix("whsec_") not in repr(SigningSecrets((secret,)))
