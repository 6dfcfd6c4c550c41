/// Keys that another program made (the openssl command), for tests only: they open nothing anywhere.
enum KeyFixtures {
  /// P-256, PKCS#8 with a passphrase.
  static let encrypted = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgzMrqwcdmuUAICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEBJX5f31/NH6MhXotvSuEWQEgZC8
    WUnHFpRxEgWrk3GDfc7IM9tbficbJViA18CuGPhi27l34wxo8A7J7VrqNDvMiXNa
    tgq/Wmt7ghCagCiDEJKuFZbDYxDJ7kbIgbD7mlAxjDZmFbIOTX8hYCM7rYRe9AFS
    69m9LpIS5ZZvoXZS5Eh1qKx2p7ZLEChgEABfzVOgIKK4XRLj9IFWkJdBg577PDA=
    -----END ENCRYPTED PRIVATE KEY-----

    """

  /// P-256, SEC1 with its parameters before it.
  static let sec1 = """
    -----BEGIN EC PARAMETERS-----
    BggqhkjOPQMBBw==
    -----END EC PARAMETERS-----
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIN3pm4a7SrbvJc/y/aothh3FDI5m7IWgFYYUjl0rIxPloAoGCCqGSM49
    AwEHoUQDQgAEBo5I+hncj7v9JXkWDb/2zVPUeJK0j5l2Nkbf27fktcpvX8hXdCqL
    AoqgW4M4JKt1+Aofx3SB3f2jx9dejX78TQ==
    -----END EC PRIVATE KEY-----

    """

  /// The public half of ``sec1``.
  static let sec1Public = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEBo5I+hncj7v9JXkWDb/2zVPUeJK0
    j5l2Nkbf27fktcpvX8hXdCqLAoqgW4M4JKt1+Aofx3SB3f2jx9dejX78TQ==
    -----END PUBLIC KEY-----

    """

  /// Another curve.
  static let p384 = """
    -----BEGIN PRIVATE KEY-----
    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCZKCaHI6KAh6OGx0Vk
    r2zpOSqPRcNBdhxggroGlFVEQPJYmpAphSHUczfmtXyJ7K2hZANiAATjdQHjQojk
    NkCAB1mg2f0ht6IhstZnr0ufIsAZ9TGk1/Yh8K1dkhr5PqhOKCUY1QVSZHIXSZKc
    8qIVdtp7txRYAF7BIzzp4RBPrBGO2IB8QkUc4bk8dOL7OEGrlORQkPY=
    -----END PRIVATE KEY-----

    """

  /// Another kind of key.
  static let ed25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIDGJ/jOpFfUgJcJE5jeGg105fbLhhNI4MYk13E0nrKWU
    -----END PRIVATE KEY-----

    """

  /// P-256 in all but name: its parameters are written out.
  static let explicit = """
    -----BEGIN PRIVATE KEY-----
    MIIBeQIBADCCAQMGByqGSM49AgEwgfcCAQEwLAYHKoZIzj0BAQIhAP////8AAAAB
    AAAAAAAAAAAAAAAA////////////////MFsEIP////8AAAABAAAAAAAAAAAAAAAA
    ///////////////8BCBaxjXYqjqT57PrvVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMV
    AMSdNgiG5wSTamZ44ROdJreBn36QBEEEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg
    9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9QIhAP////8A
    AAAA//////////+85vqtpxeehPO5ysL8YyVRAgEBBG0wawIBAQQg5d+fKaTEdtWN
    uMkrpX8O7HogcrpbARMlo9A9UXlF8jqhRANCAAQeIp/sr/3qWqpDQgSTvIfu+i6O
    hNI1eARKLDCEdVdMrIaO6CNk8WMxwkqoL6WZQIV5eXS3xJWKw3aDnCXnwU3C
    -----END PRIVATE KEY-----

    """

  static let message = "signed by another program"
  /// DER, by ``sec1`` over ``message``.
  static let signatureHex =
    "30440220222c8c609fdf4fe1bf7df5dac381d43c81a83ca28490ff2766cfb5a15a024e"
    + "a40220155bb1a6d1c73445d63e6a7aa62911fc96feb0479c4fd5fa47dc91fce0c74ec4"
}
