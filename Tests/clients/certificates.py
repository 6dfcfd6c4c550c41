"""Client certificates as Apple issues them to providers, made with another library than the gateway's: RSA keys, UID and
OU in the subject, Apple's marks and its list of topics."""

from __future__ import annotations

import datetime
import ssl
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from gateway import BUNDLE, Gateway
from http2 import client_context

APPLE = "1.2.840.113635.100.6.3"
NULL = b"\x05\0"
HOUR = datetime.timedelta(hours=1)


def element(tag: int, content: bytes) -> bytes:
    size = len(content)
    return bytes([tag]) + (bytes([size]) if size < 128 else b"\x82" + size.to_bytes(2, "big")) + content


def topic_list(*topics: tuple[str, str]) -> bytes:
    return element(0x30, b"".join(
        element(0x0C, name.encode()) + element(0x30, element(0x0C, kind.encode())) for name, kind in topics))


@dataclass
class Wish:
    uid: str | None = BUNDLE
    team: str = "A1B2C3D4E5"
    #: `.3.6` as DER.
    topics: bytes | None = None
    marks: tuple[int, ...] = (1,)
    begins: datetime.timedelta = -HOUR
    ends: datetime.timedelta = 24 * HOUR
    purpose: x509.ObjectIdentifier = ExtendedKeyUsageOID.CLIENT_AUTH
    common_name: str = "Apple Push Services"
    self_signed: bool = False
    more: list[x509.ExtensionType] = field(default_factory=list)


class Authority:
    def __init__(self, folder: Path, name: str = "clients") -> None:
        self._folder = folder
        self._name = name
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "the authority of the tests")])
        self._count = 0
        now = datetime.datetime.now(datetime.UTC)
        certificate = (
            x509.CertificateBuilder().subject_name(self._subject).issuer_name(self._subject)
            .public_key(self._key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - 24 * HOUR).not_valid_after(now + 24 * HOUR)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(self._key, hashes.SHA256()))
        self.pem = certificate.public_bytes(serialization.Encoding.PEM)
        self.file = folder / f"{name}.pem"
        self.file.write_bytes(self.pem)

    def issue(self, wish: Wish = Wish()) -> Path:
        """A file with the certificate and its key, as most clients take it."""
        key = rsa.generate_private_key(65537, 2048)
        names = [x509.NameAttribute(NameOID.USER_ID, wish.uid)] if wish.uid is not None else []
        names += [x509.NameAttribute(NameOID.COMMON_NAME, wish.common_name),
                  x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, wish.team)]
        now = datetime.datetime.now(datetime.UTC)
        subject = x509.Name(names)
        builder = (
            x509.CertificateBuilder().subject_name(subject)
            .issuer_name(subject if wish.self_signed else self._subject)
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now + wish.begins).not_valid_after(now + wish.ends)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([wish.purpose]), critical=False))
        for mark in wish.marks:
            builder = builder.add_extension(
                x509.UnrecognizedExtension(x509.ObjectIdentifier(f"{APPLE}.{mark}"), NULL), critical=False)
        if wish.topics is not None:
            builder = builder.add_extension(
                x509.UnrecognizedExtension(x509.ObjectIdentifier(f"{APPLE}.6"), wish.topics), critical=False)
        for extension in wish.more:
            builder = builder.add_extension(extension, critical=True)
        certificate = builder.sign(key if wish.self_signed else self._key, hashes.SHA256())
        self._count += 1
        file = self._folder / f"{self._name}-{self._count}.pem"
        file.write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        return file


def showing(gateway: Gateway, identity: Path, *, version: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3) -> ssl.SSLContext:
    context = client_context(gateway.ca)
    context.maximum_version = version
    context.load_cert_chain(identity)
    return context
