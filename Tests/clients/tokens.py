"""Provider tokens in every dress that client libraries give them."""

from __future__ import annotations

import base64
import json
import subprocess
import time
from pathlib import Path
from typing import Any, Callable

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

Encoding = Callable[[bytes], str]


def base64url(data: bytes) -> str:
    """RFC 7515's: no padding. What most libraries send."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def padded_base64(data: bytes) -> str:
    """The standard alphabet with padding: a2 and dotAPNS."""
    return base64.b64encode(data).decode()


def read_key(pem: bytes) -> ec.EllipticCurvePrivateKey:
    key = serialization.load_pem_private_key(pem, None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return key


def new_key() -> ec.EllipticCurvePrivateKey:
    """A key that the gateway does not know."""
    return ec.generate_private_key(ec.SECP256R1())


def write_key(file: Path, key: ec.EllipticCurvePrivateKey) -> None:
    """As Apple's .p8 files are."""
    file.write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    file.chmod(0o600)


def provider_token(key: ec.EllipticCurvePrivateKey, team: str, key_id: str, *, issued_at: Any = None,
                   der: bool = False, encode: Encoding = base64url, algorithm: str = "ES256",
                   separators: tuple[str, str] = (",", ":"), indent: int | None = None,
                   more_header: dict[str, Any] | None = None, more_claims: dict[str, Any] | None = None) -> str:
    def part(value: dict[str, Any]) -> str:
        return encode(json.dumps(value, separators=separators, indent=indent).encode())

    if issued_at is None:
        issued_at = int(time.time())
    text = part({"alg": algorithm, "kid": key_id} | (more_header or {})) + "." + part(
        {"iss": team, "iat": issued_at} | (more_claims or {}))
    signature = key.sign(text.encode(), ec.ECDSA(hashes.SHA256()))
    if not der:
        r, s = decode_dss_signature(signature)
        signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
    return text + "." + encode(signature)


def openssl_provider_token(key_file: str, team: str, key_id: str) -> str:
    """As Apple's command-line recipe makes it: blanks in the JSON, a DER signature by the openssl program."""
    header = base64url(f'{{ "alg": "ES256", "kid": "{key_id}" }}'.encode())
    claims = base64url(f'{{ "iss": "{team}", "iat": {int(time.time())} }}'.encode())
    text = f"{header}.{claims}"
    signature = subprocess.run(
        ["openssl", "dgst", "-binary", "-sha256", "-sign", key_file], input=text.encode(), capture_output=True,
        check=True).stdout
    return f"{text}.{base64url(signature)}"
