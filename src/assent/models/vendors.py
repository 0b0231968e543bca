"""Vendors of hosted models, by the prefix of a name such as "openai:gpt-5"."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlsplit

from assent.domain import parameters
from assent.domain.parameters import hidden, optional, taken
from assent.errors import ModelNotConfigured

if TYPE_CHECKING:  # pydantic-ai takes a second to import, so only building a model does it
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model
    from pydantic_ai.profiles import ModelProfile
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers import Provider
    from pydantic_ai.settings import ModelSettings

    from assent.models.adapter import HostedModel

DEFAULT_TIMEOUT_SECONDS: Final = 120.0
_NO_KEY: Final = "no-key"
_GIVEN: Final = {
    "spec": parameters.text,
    "base_url": optional(parameters.name),
    "api_key": hidden(optional(parameters.text)),
    "timeout_seconds": parameters.number(above=0),
    "settings": optional(parameters.mapping),
    "environ": optional(parameters.mapping),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Access to a model: base URL (None is the vendor's own), key and HTTP client."""

    base_url: str | None
    api_key: str
    client: "AsyncClient"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor:
    """A vendor: the extra with its client, and the variables for its key and base URL."""

    extra: str
    build: "Callable[[str, Access], Model]"
    key_variables: tuple[str, ...]
    url_variable: str | None = None
    default_url: str | None = None
    keyless_elsewhere: bool = False


def chat_model(
    spec: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
    settings: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> "HostedModel":
    """Return a chat model by "vendor:model"; raises `ModelNotConfigured`.

    "openai:" speaks the Responses API to OpenAI and chat completions to any other `base_url`.
    `settings` are pydantic-ai's model settings, such as max_tokens.
    """
    given = {
        "spec": spec,
        "base_url": base_url,
        "api_key": api_key,
        "timeout_seconds": timeout_seconds,
        "settings": settings,
        "environ": environ,
    }
    taken("chat_model()", given, _GIVEN)
    vendor, model = _parsed(spec)
    environ = os.environ if environ is None else environ
    key = api_key or _key(spec, vendor, environ, elsewhere=base_url is not None)
    url = base_url or environ.get(vendor.url_variable or "") or vendor.default_url

    def build(client: "AsyncClient") -> "Model":
        return vendor.build(model, Access(base_url=url, api_key=key, client=client))

    # The engine retries, with its own limits and on record, so the clients must not.
    merged = cast("ModelSettings", {"max_retries": 0, **(settings or {})})
    try:
        from assent.models.adapter import HostedModel

        return HostedModel(
            spec, build, timeout_seconds=timeout_seconds, settings=merged, secrets=(key,)
        )
    except ImportError:
        reason = f"its client is not installed. Run: pip install 'assent[{vendor.extra}]'"
        raise ModelNotConfigured(spec, reason) from None


def _parsed(spec: str) -> tuple[Vendor, str]:
    prefix, _, model = spec.partition(":")
    vendor = _VENDORS.get(prefix)
    if vendor is None or not model:
        known = ", ".join(f"{name}:" for name in _VENDORS)
        others = "wrap any other model in assent.models.adapter.PydanticAIModel"
        reason = f"write 'vendor:model' with one of {known}, or {others}"
        raise ModelNotConfigured(spec, reason)
    return vendor, model


def _key(spec: str, vendor: Vendor, environ: Mapping[str, str], *, elsewhere: bool) -> str:
    # A key from the environment is meant for the vendor, so it is not sent to another address.
    found = (environ.get(name) for name in vendor.key_variables if not elsewhere)
    key = next(filter(None, found), None)
    if key is not None:
        return key
    if vendor.default_url or (elsewhere and vendor.keyless_elsewhere):
        return _NO_KEY
    reason = "pass api_key= (a key from the environment is not sent to another base_url)"
    if not elsewhere:
        reason = f"set {' or '.join(vendor.key_variables)}, or pass api_key="
    raise ModelNotConfigured(spec, f"it needs an API key: {reason}")


def _openai(model: str, access: Access) -> "Model":
    return (_openai_responses if _is_openai(access) else _openai_chat)(model, access)


def _openai_chat(model: str, access: Access) -> "Model":
    from pydantic_ai.models.openai import OpenAIChatModel

    return OpenAIChatModel(model, provider=_openai_provider(access), profile=_chat_profile())


def _openai_responses(model: str, access: Access) -> "Model":
    from pydantic_ai.models.openai import OpenAIResponsesModel

    return OpenAIResponsesModel(model, provider=_openai_provider(access), profile=_profile())


def _openai_provider(access: Access) -> "Provider":
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    if access.base_url is None or _is_openai(access):
        return OpenAIProvider(
            base_url=access.base_url, api_key=access.api_key, http_client=access.client
        )
    return OpenAICompatibleProvider(
        "openai-compatible",
        base_url=access.base_url,
        api_key=access.api_key,
        http_client=access.client,
    )


def _is_openai(access: Access) -> bool:
    host = urlsplit(access.base_url or "https://api.openai.com").hostname or ""
    return host == "openai.com" or host.endswith(".openai.com")


def _chat_profile() -> "OpenAIModelProfile":
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    return OpenAIModelProfile(
        supports_inline_system_prompts=True,
        # Without this, a stream of chat completions that breaks off counts as finished.
        openai_chat_streaming_requires_finish_reason=True,
    )


def _profile() -> "ModelProfile":
    from pydantic_ai.profiles import ModelProfile

    # If unset, older models are told that <system> tags in user turns have authority. We never
    # send such tags, and text from users and tools must not gain authority.
    return ModelProfile(supports_inline_system_prompts=True)


def _openrouter(model: str, access: Access) -> "Model":
    from openai import AsyncOpenAI
    from pydantic_ai.models.openrouter import OpenRouterModel
    from pydantic_ai.providers.openrouter import OpenRouterProvider

    client = AsyncOpenAI(
        base_url=access.base_url or "https://openrouter.ai/api/v1",
        api_key=access.api_key,
        http_client=access.client,
    )
    provider = OpenRouterProvider(openai_client=client)
    return OpenRouterModel(model, provider=provider, profile=_chat_profile())


def _ollama(model: str, access: Access) -> "Model":
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    provider = OllamaProvider(
        base_url=access.base_url, api_key=access.api_key, http_client=access.client
    )
    return OllamaModel(model, provider=provider, profile=_chat_profile())


def _anthropic(model: str, access: Access) -> "Model":
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    provider = AnthropicProvider(
        base_url=access.base_url, api_key=access.api_key, http_client=access.client
    )
    return AnthropicModel(model, provider=provider, profile=_profile())


def _google(model: str, access: Access) -> "Model":
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(
        base_url=access.base_url, api_key=access.api_key, http_client=access.client
    )
    return GoogleModel(model, provider=provider, profile=_profile())


def _of_openai(build: "Callable[[str, Access], Model]") -> Vendor:
    return Vendor(
        extra="openai",
        build=build,
        key_variables=("OPENAI_API_KEY",),
        url_variable="OPENAI_BASE_URL",
        keyless_elsewhere=True,
    )


_VENDORS: Final[Mapping[str, Vendor]] = {
    "openai": _of_openai(_openai),
    "openai-chat": _of_openai(_openai_chat),
    "openai-responses": _of_openai(_openai_responses),
    "anthropic": Vendor(
        extra="anthropic",
        build=_anthropic,
        key_variables=("ANTHROPIC_API_KEY",),
        url_variable="ANTHROPIC_BASE_URL",
    ),
    "openrouter": Vendor(extra="openai", build=_openrouter, key_variables=("OPENROUTER_API_KEY",)),
    "google": Vendor(
        extra="google",
        build=_google,
        key_variables=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        url_variable="GOOGLE_GEMINI_BASE_URL",
    ),
    "ollama": Vendor(
        extra="openai",
        build=_ollama,
        key_variables=("OLLAMA_API_KEY",),
        url_variable="OLLAMA_BASE_URL",
        default_url="http://localhost:11434/v1",
    ),
}
