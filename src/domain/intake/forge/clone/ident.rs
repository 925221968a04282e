//! People as named in Git, and their forge account, if it is certain.

use crate::intake::forge::event::Person;

/// Maximum length of an accepted name or address.
const LONGEST: usize = 200;
/// Suffixes of the addresses that forges give to accounts which show none.
const HIDDEN: [(&str, char); 2] = [("@users.noreply.github.com", '+'), ("@users.noreply.gitlab.com", '-')];

/// A name and an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ident {
    pub name: String,
    pub mail: String,
}

impl Ident {
    /// Parses `Name <address>`.
    pub fn parse(text: &str) -> Option<Ident> {
        let (name, rest) = text.trim().rsplit_once('<')?;
        let (mail, _) = rest.split_once('>')?;
        let ident = Ident { name: name.trim().trim_matches('"').to_owned(), mail: mail.trim().to_owned() };
        ident.is_whole().then_some(ident)
    }

    /// Reports whether it identifies a person.
    fn is_whole(&self) -> bool {
        let fits = |text: &str| text.len() <= LONGEST && !text.contains(char::is_control);
        let is_address = self.mail.contains('@') && !self.mail.contains(char::is_whitespace);
        is_address && fits(&self.name) && fits(&self.mail)
    }

    /// Reports whether both are surely or probably one person: people with two addresses may approve their own work.
    pub fn is_same(&self, other: &Ident) -> bool {
        let same = |one: &str, other: &str| !one.is_empty() && one.to_lowercase() == other.to_lowercase();
        same(&self.mail, &other.mail) || same(&self.name, &other.name)
    }

    /// Returns the account: the name in a forge's address, otherwise the address. A name known from the configuration
    /// takes precedence.
    pub fn person(&self, is_known: &dyn Fn(&str) -> bool) -> Person {
        let hidden = HIDDEN.iter().find_map(|(end, sign)| {
            let local = self.mail.strip_suffix(end)?;
            Some(match local.split_once(*sign) {
                Some((number, login)) if number.parse::<u64>().is_ok() => (Some(number.to_owned()), login),
                _ => (None, local),
            })
        });
        let (number, account) = hidden.map_or((None, None), |(number, login)| (number, Some(login)));
        let names = [account, Some(&*self.mail), Some(&*self.name)];
        let known = names.into_iter().flatten().find(|name| !name.is_empty() && is_known(name));
        let login = known.or(account).unwrap_or(if self.mail.is_empty() { &self.name } else { &self.mail });
        let bot = self.name.ends_with("[bot]") || account.is_some_and(|login| login.ends_with("[bot]"));
        Person { login: login.to_owned(), number, bot, ..Person::default() }
    }

    /// Returns the account in Gerrit's notes, identified by number: `Gerrit User 1000001 <1000001@server>`.
    pub fn gerrit_account(&self) -> Option<Person> {
        let (number, _) = self.mail.split_once('@')?;
        number.parse::<u64>().ok()?;
        Some(Person { login: number.to_owned(), number: Some(number.to_owned()), ..Person::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ident(text: &str) -> Ident {
        Ident::parse(text).unwrap()
    }

    #[test]
    fn an_account_is_named_as_the_forge_or_the_configuration_names_it() {
        let login = |text: &str, known: &str| ident(text).person(&|name| name == known).login;
        assert_eq!(login("Ann <12+ann@users.noreply.github.com>", ""), "ann");
        assert_eq!(login("Ann <ann@users.noreply.github.com>", ""), "ann");
        assert_eq!(login("Ann <7-ann@users.noreply.gitlab.com>", ""), "ann");
        assert_eq!(login("Ann <ann@example.org>", ""), "ann@example.org");
        assert_eq!(login("Ann <ann@example.org>", "Ann"), "Ann");
        let bot = ident("devin-ai-integration[bot] <158+devin-ai-integration[bot]@users.noreply.github.com>");
        let bot = bot.person(&|_| false);
        assert!(bot.bot && bot.login == "devin-ai-integration[bot]" && bot.number.as_deref() == Some("158"));
        assert_eq!(ident("Gerrit User 1000001 <1000001@a-b>").gerrit_account().unwrap().login, "1000001");
        assert_eq!(ident("Ann <ann@a-b>").gerrit_account(), None);
    }

    #[test]
    fn one_name_or_one_address_is_one_person() {
        assert!(ident("Ann <a@x>").is_same(&ident("ann <b@x>")));
        assert!(ident("Ann <a@x>").is_same(&ident("B <A@x>")));
        assert!(!ident("Ann <a@x>").is_same(&ident("Ben <b@x>")));
        assert!(!ident("<a@x>").is_same(&ident("<b@x>")));
    }

    #[test]
    fn what_names_nobody_is_nobody() {
        for text in ["", "Ann", "Ann <>", "Ann <ann>", "Ann <a b@x>", "Ann <a@x", "A\u{1b}[2J <a@x>"] {
            assert_eq!(Ident::parse(text), None, "{text}");
        }
        assert_eq!(Ident::parse(&format!("A <{}@x>", "a".repeat(300))), None);
    }
}
