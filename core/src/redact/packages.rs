//! Shapes of tokens that stand in the rules of two packages and not in the table of [`super::token`].
//!
//! Made by tests/secrets/providers.py from @secretlint/secretlint-rule-preset-recommend 12.0.0 (MIT) and
//! detect-secrets 1.5.0 (Apache-2.0).

use super::bytes::is_base64;
use super::token::{TokenFamily, dashed, family, letter};

#[rustfmt::skip]
pub(super) const PACKAGES: &[TokenFamily] = &[
    family("provider_token", "xoxo-", dashed, 10),
    family("provider_token", "glc_", is_base64, 32),
    family("provider_token", "ops_", is_base64, 104),
    family("provider_token", "hvr.", dashed, 90),
    family("provider_token", "vcp_", letter, 20),
    family("provider_token", "vci_", letter, 20),
    family("provider_token", "vca_", letter, 20),
    family("provider_token", "vcr_", letter, 20),
    family("provider_token", "vck_", letter, 20),
    family("provider_token", "glft-", dashed, 20),
    family("provider_token", "glsoat-", dashed, 20),
    family("provider_token", "GR1348941", dashed, 20),
    family("provider_token", "glimt-", dashed, 25),
    family("provider_token", "glagent-", dashed, 50),
];
