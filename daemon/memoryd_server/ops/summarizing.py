"""What sums conversations up, joined as the settings say; loaded where it is first needed."""

import os

from memoryd_server.ops.config.settings import Summarizing
from memoryd_server.ops.error import SettingError
from memoryd_server.ports.summarizing import Summarizer

_RETRIES = 1
"""A model that sums up takes many seconds, and somebody waits for it."""


def summarizer_of(settings: Summarizing, *, insecure: bool = False) -> Summarizer | None:
    """The summarizer that the settings ask for, None for none. Raises SettingError."""
    if settings.summary_url is None or settings.summary_model is None:
        return None
    # What speaks HTTP takes a while to import, which others need not wait for.
    from memoryd_server.models.endpoint.key import api_key_of
    from memoryd_server.models.endpoint.settings import EndpointSettings
    from memoryd_server.models.summarizing.endpoint import API_KEY_VARIABLE, EndpointSummarizer

    endpoint = EndpointSettings(
        base_url=settings.summary_url,
        model=settings.summary_model,
        insecure=insecure,
        timeout=settings.summary_timeout,
        retries=_RETRIES,
    )
    try:
        return EndpointSummarizer(endpoint, api_key_of(settings.summary_key_file, API_KEY_VARIABLE, os.environ))
    except (OSError, ValueError) as error:
        raise SettingError("summary_url", str(error)) from None
