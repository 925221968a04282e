//! An exchange, parsed once for the patterns and the model. Makes no decisions.

use super::before::Before;
use super::cues;
use super::exchange::Exchange;
use super::text::Text;

/// A parsed exchange.
pub(crate) struct ExchangeReading {
    pub text: Text,
    pub query: Text,
    pub response: Text,
    pub before: Before,
    pub cues: Vec<&'static str>,
}

impl ExchangeReading {
    pub fn new(exchange: &Exchange) -> Self {
        let text = Text::new(&exchange.text);
        let response = Text::new(&exchange.previous_response);
        Self {
            before: Before::read(&response),
            cues: cues::read(&text),
            query: Text::new(&exchange.previous_query),
            text,
            response,
        }
    }

    pub fn has(&self, cue: &str) -> bool {
        self.cues.contains(&cue)
    }
}
