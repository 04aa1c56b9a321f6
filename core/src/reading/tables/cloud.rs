//! What the clients of the large clouds say of arguments, rights and missing objects.

use crate::model::Category as C;
use crate::reading::row::{Reach, RowScope, ToolTable, finding};

pub(super) const AWS: ToolTable = ToolTable {
    name: "aws",
    scope: RowScope::Runs(&["aws", "sam", "cdk", "copilot"], Reach::Loose),
    usual: C::ServiceError,
    rows: &[
        finding("*The config profile ({object}) could not be found", C::ConfigOrState),
        finding("*You must specify a region", C::ConfigOrState),
        finding("*The SSO session associated with this profile has expired", C::AuthRequired),
        finding("*An error occurred (*NotFound*) when calling", C::RemoteNotFound),
        finding("*An error occurred (*DoesNotExist*) when calling", C::RemoteNotFound),
        finding("*An error occurred (NoSuch{word}", C::RemoteNotFound),
        finding("*An error occurred (404)", C::RemoteNotFound),
        finding("*An error occurred (403)", C::AuthRequired),
        finding("*An error occurred (Expired{word}", C::AuthRequired),
        finding("*An error occurred (Invalid*Token*)", C::AuthRequired),
        finding("*An error occurred (InvalidClientTokenId)", C::AuthRequired),
        finding("*An error occurred (SignatureDoesNotMatch)", C::AuthRequired),
        finding("*An error occurred (UnrecognizedClientException)", C::AuthRequired),
        finding("*An error occurred (*AccessDenied*)", C::AuthRequired),
        finding("*An error occurred (RequestLimitExceeded", C::RateLimit).transient("throttled"),
        finding("*An error occurred (*LimitExceeded*)", C::ResourceExhausted),
        finding("*An error occurred (*AlreadyExists*)", C::ConfigOrState),
        finding("*An error occurred (*InUse*)", C::ConfigOrState),
        finding("*An error occurred (Invalid{word}", C::BadArguments),
        finding("*An error occurred (Missing{word}", C::BadArguments),
        finding("*An error occurred (Malformed{word}", C::BadArguments),
        finding("*An error occurred (Validation{word}", C::BadArguments),
        finding("*Error parsing parameter '{object}'", C::BadArguments),
        finding("*^parameter validation failed", C::BadArguments),
        finding("*The user-provided path {name} does not exist", C::PathNotFound),
        finding("*: error: the following arguments are required: {object}", C::BadArguments),
        finding("*BucketAlreadyExists", C::ConfigOrState),
    ],
};

pub(super) const GOOGLE: ToolTable = ToolTable {
    name: "gcloud",
    scope: RowScope::Runs(&["gcloud", "gsutil", "bq", "firebase"], Reach::Direct),
    usual: C::ServiceError,
    rows: &[
        finding("API [{object}] not enabled on project", C::ConfigOrState),
        finding("ERROR: (*) *API has not been used in project", C::ConfigOrState),
        finding("ERROR: (*) *The required property [{object}] is not currently set", C::ConfigOrState),
        finding("ERROR: (*) *Invalid choice: '{object}'", C::BadArguments),
        finding("ERROR: (*) *Cannot find {msg}", C::RemoteNotFound),
        finding("ERROR: (*) *does not exist", C::RemoteNotFound),
        finding("- Quota '{object}' exceeded", C::ResourceExhausted),
        finding("ERROR: (*) *^permission {msg}", C::AuthRequired),
        finding("*NotFoundException: 404 {msg}", C::RemoteNotFound),
    ],
};

pub(super) const AZURE: ToolTable = ToolTable {
    name: "az",
    scope: RowScope::Runs(&["az", "azd", "func"], Reach::Direct),
    usual: C::ServiceError,
    rows: &[
        finding("*^please run 'az login'", C::AuthRequired),
        finding("*(AuthorizationFailed) {msg}", C::AuthRequired),
        finding("*({type}NotFound) {msg}", C::RemoteNotFound).needle("NotFound)"),
        finding("*({type}AlreadyTaken) {msg}", C::ConfigOrState).needle("AlreadyTaken)"),
        finding("the following arguments are required: {object}", C::BadArguments),
        finding("'{object}' is misspelled or not recognized by the system", C::BadArguments),
        finding("*could not be found", C::RemoteNotFound),
    ],
};
