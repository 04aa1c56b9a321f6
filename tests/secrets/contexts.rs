//! The places where secrets stand in commands, files and outputs: written from what the tools print, with nothing of how
//! they are found.

/// Which bytes a secret of a context may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alphabet {
    /// A password between quotation marks or alone on its line: any sign but quotation marks and backslashes.
    Free,
    /// A password in a shell or a URL, where many signs end a word.
    Word,
    /// A password in XML: no `<`, `>` and `&`.
    Markup,
    /// A password that a separator of the format ends: none of `;`, `,`, `:`, `|`, `&`, `#`, `=`.
    Field,
    /// Base64 with both cases and digits.
    Base64,
    /// Digits and small letters up to f.
    Hex,
    /// What a password is hashed to: `$id$salt$hash`.
    Crypt,
    /// Lines of base64.
    Lines,
    /// Letters and digits.
    Plain,
    /// Words with blanks between them.
    Words,
}

/// A place: its name, the text with `{}` where the secret stands, and what the secret is made of.
pub(crate) type Context = (&'static str, &'static str, Alphabet);

use Alphabet::{Base64, Crypt, Field, Free, Hex, Lines, Markup, Plain, Word, Words};

#[rustfmt::skip]
pub(crate) const CONTEXTS: &[Context] = &[
    // Environments and settings.
    ("dotenv",              "# shop\nAPP_ENV=production\nDB_PASSWORD={}\nPORT=80",                                Word),
    ("export",              "export STRIPE_SECRET='{}'",                                                          Free),
    ("inline variable",     "PGPASSWORD={} psql -h db.internal -U shop -c 'select 1'",                            Word),
    ("a key variable",      "+ LICENSE_KEY={}\n+ make package",                                                   Word),
    ("yaml",                "database:\n  user: shop\n  password: {}\n  port: 5432",                              Free),
    ("quoted yaml",         "smtp_passwd: \"{}\"",                                                                Free),
    ("block scalar",        "stringData:\n  password: |\n    {}\n  user: shop",                                   Free),
    ("folded scalar",       "api_token: >-\n    {}\nregion: eu",                                                  Free),
    ("json",                "{\"user\":\"shop\",\"password\":\"{}\",\"port\":5432}",                              Free),
    ("pretty json",         "{\n  \"clientId\": \"shop\",\n  \"clientSecret\": \"{}\",\n  \"scope\": \"all\"\n}", Free),
    ("json in json",        "{\"body\":\"{\\\"login\\\":\\\"shop\\\",\\\"passcode\\\":\\\"{}\\\"}\"}",            Free),
    ("toml",                "[cache]\nsecret_key = \"{}\"\n",                                                     Free),
    ("ini",                 "[client]\nuser = shop\npasswd = {}\n",                                               Word),
    ("properties",          "spring.datasource.username=shop\nspring.datasource.password={}",                     Word),
    ("compose list",        "    environment:\n      - POSTGRES_PASSWORD={}\n      - TZ=UTC",                     Word),
    ("manifest env",        "env:\n- name: DB_PASSWORD\n  value: {}\n- name: TZ\n  value: UTC",                   Word),
    ("quoted manifest env", "        - name: SESSION_SECRET\n          value: \"{}\"",                             Free),
    ("secret data",         "apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\ndata:\n  shop.conf: {}\n",    Base64),
    ("secret string data",  "kind: Secret\nstringData:\n  login: shop\n  hook: {}\ntype: Opaque",                 Word),
    ("kubeconfig key",      "users:\n- name: admin\n  user:\n    client-key-data: {}",                           Base64),
    ("kubeconfig token",    "users:\n- name: ci\n  user:\n    token: {}",                                         Plain),
    ("name and value",      "{\"environment\":[{\"name\":\"API_TOKEN\",\"value\":\"{}\"}]}",                      Free),
    ("value and name",      "[{\"value\": \"{}\", \"name\": \"DB_PASSWORD\"}]",                                   Free),
    ("template parameter",  "{\"ParameterKey\": \"DbPassword\", \"ParameterValue\": \"{}\"}",                     Free),
    ("markup attributes",   "<appSettings>\n  <add key=\"ApiSecret\" value=\"{}\" />\n</appSettings>",            Markup),
    ("markup element",      "<server>\n  <id>nexus</id>\n  <password>{}</password>\n</server>",                   Markup),
    ("markup property",     "<property name=\"connection.password\">{}</property>",                               Markup),
    ("terraform",           "resource \"db\" \"shop\" {\n  username = \"shop\"\n  password = \"{}\"\n}",          Free),
    ("terraform plan",      "      + secret_string = \"{}\"\n      + version_id    = (known after apply)",        Free),
    ("npmrc",               "registry=https://npm.shop.io/\n//npm.shop.io/:_password={}\nalways-auth=true",       Base64),
    ("pgpass",              "db.internal:5432:shop:shop_rw:{}",                                                   Field),
    ("netrc",               "machine git.shop.io\n  login ci\n  password {}\n",                                   Word),
    ("mail settings",       "account shop\nhost mail.shop.io\nuser ci\npassword {}\n",                            Word),
    ("wireless settings",   "network={\n  ssid=\"shop\"\n  psk=\"{}\"\n}",                                        Free),
    ("tunnel key",          "[Interface]\nPrivateKey = {}=\nAddress = 10.0.0.2/32",                               Base64),
    ("shared tunnel key",   "[Peer]\nPresharedKey = {}=\nEndpoint = vpn.shop.io:51820",                           Base64),
    ("putty key",           "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n{}\nPrivate-MAC: 0", Base64),
    ("private key lines",   "-----BEGIN OPENSSH PRIV{KEY}-----\n{}\n-----END OPENSSH PRIV{KEY}-----",                       Lines),
    ("web key",             "{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"{}\",\"use\":\"sig\"}",                    Base64),
    ("web key, symmetric",  "{\"kty\": \"oct\", \"k\": \"{}\", \"alg\": \"HS256\"}",                              Base64),
    // Programs and their flags.
    ("long flag",           "deploy --env prod --password {} --wait",                                             Word),
    ("long flag with sign", "vault-sync --client-secret='{}' --dry-run",                                          Free),
    ("helm set",            "helm upgrade shop ./chart --set auth.rootPassword={} --wait",                        Word),
    ("mysql",               "mysql -h db -u root -p{} shop -e 'select 1'",                                        Word),
    ("mysqldump",           "mysqldump --user=root --password={} shop",                                           Word),
    ("sshpass",             "sshpass -p '{}' ssh ci@box uptime",                                                  Free),
    ("container login",     "podman login -u ci -p {} registry.shop.io",                                          Word),
    ("redis",               "redis-cli -h cache -a {} ping",                                                      Word),
    ("directory search",    "ldapsearch -x -D cn=admin,dc=shop -w {} -b dc=shop",                                 Word),
    ("certificate store",   "openssl pkcs12 -in shop.p12 -nodes -passin pass:{}",                                 Word),
    ("key store",           "keytool -list -keystore shop.jks -storepass {} -v",                                  Word),
    ("sql server",          "sqlcmd -S db -U sa -P {} -Q 'select 1'",                                             Word),
    ("archive",             "unzip -P {} backup.zip -d out",                                                      Word),
    ("packed archive",      "7z x backup.7z -p{} -oout",                                                          Word),
    ("new key",             "ssh-keygen -t ed25519 -N '{}' -f key",                                               Free),
    ("web users",           "htpasswd -b -c .htpasswd shop {}",                                                   Word),
    ("curl user",           "curl -fsS -u ci:{} https://api.shop.io/v1",                                          Word),
    ("wget password",       "wget --user=ci --password={} https://files.shop.io/a.tgz",                           Word),
    ("form data",           "curl -d 'grant_type=password&username=ci&password={}' https://id.shop.io/token",     Field),
    ("cloud settings",      "aws configure set aws_secret_access_key {}",                                         Base64),
    ("package settings",    "npm config set //npm.shop.io/:_authToken {}",                                        Plain),
    ("git settings",        "git config --global shop.password '{}'",                                             Free),
    ("windows variable",    "setx DB_PASSWORD \"{}\"",                                                            Free),
    ("powershell variable", "$env:API_SECRET = \"{}\"",                                                           Free),
    ("literal of a secret", "kubectl create secret generic shop --from-literal=hook={}",                          Word),
    ("repository secret",   "gh secret set DEPLOY_TOKEN --body '{}'",                                             Free),
    ("platform settings",   "heroku config:set PAYMENT_API_KEY={} -a shop",                                       Word),
    ("piped password",      "echo '{}' | docker login -u ci --password-stdin registry.shop.io",                   Free),
    ("piped to sudo",       "echo '{}' | sudo -S systemctl restart shop",                                         Free),
    ("changed password",    "echo 'shop:{}' | chpasswd",                                                          Free),
    ("windows user",        "net user shop {} /add",                                                              Word),
    // Addresses and connection strings.
    ("address",             "https://ci:{}@git.shop.io/shop/api.git",                                             Field),
    ("cache address",       "redis://:{}@cache.internal:6379/0",                                                  Field),
    ("go address",          "shop:{}@tcp(db.internal:3306)/shop?parseTime=true",                                  Field),
    ("odbc",                "Driver={PostgreSQL};Server=db;Uid=shop;Pwd={};",                                     Field),
    ("ado",                 "Server=tcp:db,1433;User Id=sa;Password={};Encrypt=True",                             Field),
    ("jdbc",                "jdbc:sqlserver://db:1433;databaseName=shop;user=sa;password={};",                    Field),
    ("libpq",               "host=db user=shop password={} dbname=shop",                                          Word),
    ("storage account",     "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={};Suffix=x",             Base64),
    ("bus",                 "Endpoint=sb://shop.bus/;SharedAccessKeyName=Root;SharedAccessKey={}",                Base64),
    // Headers.
    ("key header",          "curl -H 'X-Api-Key: {}' https://api.shop.io",                                        Word),
    ("token header",        "> X-Vault-Token: {}\r\n> Accept: */*\r",                                             Plain),
    ("function header",     "x-functions-key: {}",                                                                Base64),
    ("auth header",         "X-Shop-Auth: {}",                                                                    Word),
    ("basic header",        "< proxy-authorization: Basic {}",                                                    Base64),
    ("header in code",      "headers = {'Authorization': 'Bearer {}', 'Accept': '*/*'}",                          Plain),
    ("cookie header",       "set-cookie: session={}; Path=/; HttpOnly",                                           Plain),
    // Databases.
    ("sql role",            "ALTER ROLE shop WITH LOGIN PASSWORD '{}';",                                          Free),
    ("sql user",            "CREATE USER 'shop'@'%' IDENTIFIED BY '{}';",                                         Free),
    ("sql plugin",          "ALTER USER shop IDENTIFIED WITH caching_sha2_password BY '{}'",                      Free),
    ("sql server login",    "CREATE LOGIN shop WITH PASSWORD = N'{}', CHECK_POLICY = ON",                         Free),
    // Code.
    ("python",              "conn = connect(user='shop', password='{}', host='db')",                              Free),
    ("python environment",  "os.environ[\"API_TOKEN\"] = \"{}\"",                                                 Free),
    ("ruby",                "config.smtp = { user: 'shop', :password => \"{}\" }",                                Free),
    ("php constant",        "define('DB_PASSWORD', '{}');",                                                       Free),
    ("go constant",         "const signingSecret = \"{}\"",                                                       Free),
    ("shown struct",        "panic: Config{User:\"shop\", Password:\"{}\", Host:\"db\"}",                         Free),
    ("shown fields",        "level=error msg=\"login refused\" user=shop password={} attempt=3",                  Word),
    ("words in quotes",     "passphrase = \"{}\"",                                                                Words),
    // What people and programs read.
    ("prompt and answer",   "Password: {}\nLogin incorrect",                                                      Word),
    ("prompt and next line", "Username: shop\nPassword:\n{}\n",                                                   Word),
    ("sudo prompt",         "[sudo] password for shop: {}\nSorry, try again.",                                    Word),
    ("sentence",            "login refused for user 'shop' with password '{}'",                                   Free),
    ("named table",         "Key         Value\n---         -----\nusername    shop\npassword    {}\n",           Word),
    ("ruled table",         "| Name        | Value |\n|-------------|-------|\n| DB_PASSWORD | {} |",             Word),
    ("boxed table",         "│ API_SECRET │ {} │",                                                               Word),
    ("column of a table",   " id | login | password\n----+-------+----------\n  1 | shop  | {}\n(1 row)",          Word),
    ("comma separated",     "login,password,role\nshop,{},admin\n",                                               Field),
    ("shadow entry",        "shop:{}:19700:0:99999:7:::",                                                         Crypt),
    ("web user entry",      "shop:{}",                                                                            Crypt),
    ("credential",          "  credential: \"{}\"",                                                               Free),
    ("master key",          "RAILS_MASTER_KEY={} bin/rails assets:precompile",                                    Hex),
];
