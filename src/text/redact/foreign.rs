//! Words in other languages that name a secret: German, French, Spanish, Portuguese, Italian, Polish, Russian,
//! Ukrainian, Chinese, Japanese, Korean, and in part Dutch, the languages of Scandinavia, Czech, Turkish, Finnish,
//! Hungarian and Arabic. `guard` judges the values after them, as after English ones.

use regex::Regex;
use std::sync::LazyLock;

/// Words that are followed only by a password.
macro_rules! foreign_passwords {
    () => {
        "mot[ _-]?de[ _-]?passe|senha|palavra[ _-]passe|parola(?: d['’]ordine| chiave)?|has[łl](?:o|em)|парол(?:ь|ем|я)|密[码碼]|口令|パスワード|パスフレーズ|비밀번호|암호|패스워드|비번|wachtwoord|l[öo]senord|adgangskode|kodeord|passord|heslo|[şs]ifre|salasana|jelsz[óo]|κωδικός|סיסמה|mật khẩu|รหัสผ่าน|kata sandi|पासवर्ड|暗証番号|geslo|lozinka|parol[ăe]|slaptažodis|salasõna|парола|passwörd|كلمة (?:المرور|السر)"
    };
}

/// Keys, tokens and other secrets; the words have other meanings too.
macro_rules! foreign_keys {
    () => {
        "schlüssel|geheimnis|zugangsdaten|clé (?:d['’]api|api|secr[èe]te|d['’]accès|priv[ée]e)|jeton|identifiants|clave(?: (?:de (?:la )?(?:api|acceso)|api|secreta|privada))?|chave(?: (?:d[ae] (?:api|acesso)|api|secreta|privada))?|chiave(?: (?:api|segreta|privata|d['’]accesso))?|segreto|segredo|secreto|credenciales|credenciais|credenziali|klucz(?: (?:api|tajny|prywatny))?|sekret|ключ(?: (?:api|доступа))?|токен|секрет|密[钥鑰]|秘[钥鑰]|令牌|凭[证据]|憑證|トークン|秘密鍵|(?:api|アクセス|シークレット|秘密)[ ]?キー|認証情報|토큰|(?:api|액세스|시크릿|비밀)[ ]?키"
    };
}

/// Words or parts of words, one of which is in every name above without an English one, in lower and upper case: their
/// matcher folds ASCII only.
macro_rules! foreign_words {
    () => {
        "passe senha parola has\u{142} HAS\u{141} haslo haslem парол Парол ПАРОЛ 密 口令 パス 비밀 암호 패스 비번 wachtwoord senord \
         κωδικ ΚΩΔΙΚ סיסמה mật รหัส sandi पासवर्ड 暗証 geslo lozink parol slapta passw adgangskode kodeord passord heslo ifre salas jelsz كلمة schl geheimnis zugangsdaten jeton identifiants clave chave chiave \
         segret segred credenc credenz klucz sekret ключ Ключ КЛЮЧ токен Токен ТОКЕН секрет Секрет СЕКРЕТ 秘 令牌 凭 憑證 \
         トークン キー 認証情報 토큰 키 cl\u{e9} CL\u{c9}"
    };
}

pub(super) use {foreign_keys, foreign_passwords, foreign_words};

/// Reports whether a lowercase word names a password.
pub(super) fn is_password(word: &str) -> bool {
    static PASSWORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(concat!("(?i)(?:", foreign_passwords!(), ")")).expect("a constant pattern"));
    PASSWORD.is_match(word)
}

/// Reports whether a character belongs to a script without spaces between words. After a value it is prose.
pub(super) fn joins_words(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}
