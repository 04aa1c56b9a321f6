//! Shapes of tokens that stand in the rules of two packages and not in the table of [`super::token`].
//!
//! Made by tests/secrets/providers.py from @secretlint/secretlint-rule-preset-recommend 12.0.0 (MIT) and
//! detect-secrets 1.5.0 (Apache-2.0).

use super::bytes::is_base64;
use super::table::Row;
use super::token::{TokenFamily, dashed, family, letter};

#[rustfmt::skip]
pub(super) const PACKAGES: &[Row<TokenFamily>] = &[
    (family("provider_token", dashed, 10), &["xoxo-"]),
    (family("provider_token", is_base64, 32), &["glc_"]),
    (family("provider_token", is_base64, 104), &["ops_"]),
    (family("provider_token", dashed, 90), &["hvr."]),
    (family("provider_token", letter, 20), &["vcp_", "vci_", "vca_", "vcr_", "vck_"]),
    (family("provider_token", dashed, 20), &["glft-", "glsoat-", "GR1348941"]),
    (family("provider_token", dashed, 25), &["glimt-"]),
    (family("provider_token", dashed, 50), &["glagent-"]),
];
