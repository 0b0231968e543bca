import subprocess
import sys

import pytest

from assent.errors import ModelNotConfigured
from assent.models import chat_model
from assent.ports import ChatModel
from tests.models.wires import HELLO
from tests.providers import FakeProvider, Reply

KEYS = {
    "OPENAI_API_KEY": "key-of-openai",
    "ANTHROPIC_API_KEY": "key-of-anthropic",
    "OPENROUTER_API_KEY": "key-of-openrouter",
    "GOOGLE_API_KEY": "key-of-google",
}


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return run.stdout.strip()


def test_importing_the_models_imports_no_provider_library() -> None:
    heavy = "{'pydantic_ai', 'openai', 'anthropic', 'google.genai', 'httpx2'}"
    assert python(f"import sys, assent.models; print({heavy} & set(sys.modules))") == "set()"


@pytest.mark.parametrize(
    ("spec", "missing", "extra"),
    [
        ("openai:gpt-5", "openai", "openai"),
        ("openrouter:a/b", "openai", "openai"),
        ("ollama:llama", "openai", "openai"),
        ("anthropic:claude-opus-5", "anthropic", "anthropic"),
        ("google:gemini-2.5-flash", "google.genai", "google"),
        ("openai:gpt-5", "pydantic_ai", "openai"),
    ],
)
def test_a_missing_package_names_the_extra_to_install(spec: str, missing: str, extra: str) -> None:
    said = python(
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from assent.models import chat_model\n"
        f"try: chat_model({spec!r}, api_key='k')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    assert said.startswith("ModelNotConfigured")
    assert f"pip install 'assent[{extra}]'" in said


@pytest.mark.parametrize("spec", ["acme:model", "gpt-5", "openai:", "openai", "", ":gpt-5"])
def test_an_unknown_spec_lists_the_vendors(spec: str) -> None:
    with pytest.raises(ModelNotConfigured) as caught:
        chat_model(spec, api_key="k")
    for prefix in ("openai:", "anthropic:", "openrouter:", "google:", "ollama:"):
        assert prefix in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "variable"),
    [
        ("openai:gpt-5", "OPENAI_API_KEY"),
        ("openai-chat:gpt-5", "OPENAI_API_KEY"),
        ("anthropic:claude-opus-5", "ANTHROPIC_API_KEY"),
        ("openrouter:a/b", "OPENROUTER_API_KEY"),
        ("google:gemini-2.5-flash", "GOOGLE_API_KEY or GEMINI_API_KEY"),
    ],
)
def test_a_missing_key_names_the_variable_to_set(spec: str, variable: str) -> None:
    with pytest.raises(ModelNotConfigured, match=variable):
        chat_model(spec, environ={})


@pytest.mark.parametrize(
    "spec",
    [
        "openai:gpt-5",
        "openai-chat:gpt-5",
        "openai-responses:gpt-5",
        "anthropic:claude-opus-5",
        "openrouter:a/b",
        "google:gemini-2.5-flash",
    ],
)
def test_a_key_in_the_environment_is_enough(spec: str) -> None:
    model: ChatModel = chat_model(spec, environ=KEYS)
    assert model.name == spec


def test_the_second_variable_of_google_counts_too() -> None:
    assert chat_model("google:gemini-2.5-flash", environ={"GEMINI_API_KEY": "k"}).name


def test_ollama_needs_no_key_and_no_address() -> None:
    assert chat_model("ollama:llama", environ={}).name == "ollama:llama"


async def test_a_key_from_the_environment_is_not_sent_to_another_address(
    provider: FakeProvider,
) -> None:
    provider.script(Reply(text="ok"))
    async with chat_model("openai:m", base_url=provider.openai_url, environ=KEYS) as model:
        await model.request(HELLO)
    assert "key-of-openai" not in str(provider.requests[0].headers)


@pytest.mark.parametrize("spec", ["anthropic:claude-opus-5", "openrouter:a/b", "google:gemini"])
def test_another_address_of_a_vendor_with_keys_needs_one_of_its_own(spec: str) -> None:
    with pytest.raises(ModelNotConfigured, match="api_key="):
        chat_model(spec, base_url="http://127.0.0.1:9", environ=KEYS)


async def test_address_and_key_may_both_come_from_the_environment(
    provider: FakeProvider,
) -> None:
    provider.script(Reply(text="ok"))
    environ = KEYS | {"ANTHROPIC_BASE_URL": provider.url}
    async with chat_model("anthropic:claude-opus-5", environ=environ) as model:
        await model.request(HELLO)
    assert "key-of-anthropic" in str(provider.requests[0].headers)


async def test_the_key_given_is_the_one_sent(provider: FakeProvider) -> None:
    provider.script(Reply(text="ok"))
    url = provider.openai_url
    async with chat_model("openai:m", base_url=url, api_key="mine", environ=KEYS) as model:
        await model.request(HELLO)
    assert provider.requests[0].headers["authorization"] == "Bearer mine"


@pytest.mark.parametrize(
    ("spec", "dialect"),
    [
        ("openai:m", "openai-chat"),
        ("openai-chat:m", "openai-chat"),
        ("openai-responses:m", "openai-responses"),
        ("openrouter:a/m", "openai-chat"),
        ("ollama:m:8b", "openai-chat"),
    ],
)
async def test_any_compatible_address_is_spoken_to_in_what_it_understands(
    spec: str, dialect: str, provider: FakeProvider
) -> None:
    provider.script(Reply(text="ok"))
    async with chat_model(spec, base_url=provider.openai_url, api_key="k") as model:
        await model.request(HELLO)
    (seen,) = provider.requests
    assert seen.dialect == dialect
    assert seen.body["model"] == spec.partition(":")[2]


@pytest.mark.parametrize(
    ("environ", "api"),
    [
        (KEYS, "OpenAIResponsesModel"),
        (KEYS | {"OPENAI_BASE_URL": "https://api.openai.com/v1"}, "OpenAIResponsesModel"),
        (KEYS | {"OPENAI_BASE_URL": "https://eu.api.openai.com/v1"}, "OpenAIResponsesModel"),
        (KEYS | {"OPENAI_BASE_URL": "https://openai.com.evil.test/v1"}, "OpenAIChatModel"),
    ],
)
def test_openai_itself_is_asked_over_its_responses_api(environ: dict[str, str], api: str) -> None:
    model = chat_model("openai:gpt-5", environ=environ)
    assert type(model._model._model).__name__ == api


async def test_settings_reach_the_provider(provider: FakeProvider) -> None:
    provider.script(Reply(text="ok"))
    url = provider.openai_url
    settings = {"max_tokens": 77, "temperature": 0.5}
    async with chat_model("openai-chat:m", base_url=url, settings=settings) as model:
        await model.request(HELLO)
    body = provider.requests[0].body
    assert 77 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    assert body["temperature"] == 0.5
