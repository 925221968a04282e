//! Tables of failure patterns in the lines of tool output and logs.
//!
//! The first table is matched line by line, case-sensitively; words covered by a guard are masked. Weights are evidence
//! between 0 and 1; a signal requires 0.5.

use super::evidence::SignalKind::{self, RuntimeError, VerificationFailure};
use super::patterns;
use regex::{Regex, RegexSet, RegexSetBuilder};
use std::sync::LazyLock;

/// One cue.
pub(super) struct FailureRule {
    pub(super) id: &'static str,
    pub(super) kind: SignalKind,
    pub(super) weight: f64,
    /// The only tool that writes this, if there is just one.
    pub(super) framework: Option<&'static str>,
    pattern: &'static str,
}

const fn run(id: &'static str, weight: f64, pattern: &'static str) -> FailureRule {
    FailureRule { id, kind: RuntimeError, weight, framework: None, pattern }
}

const fn check(id: &'static str, weight: f64, framework: Option<&'static str>, pattern: &'static str) -> FailureRule {
    FailureRule { id, kind: VerificationFailure, weight, framework, pattern }
}

#[rustfmt::skip]
pub(super) const RULES: &[FailureRule] = &[
    // Compilers, type checkers, linters, formatters, build tools.
    check("check.rustc", 0.9, Some("cargo"), r"^error(?:\[E\d{4}\])?: (?:could not compile|aborting due to|test failed|process didn't exit successfully: `rustc)|^error\[E\d{4}\]"),
    check("check.clippy", 0.8, Some("clippy"), r"^\s+= (?:note|help): .*clippy::|^error: .*clippy"),
    check("check.typescript", 0.9, Some("typescript"), r"\berror TS\d{4,5}:|^Found \d+ errors? in \d+ files?\.$"),
    check("check.mypy", 0.9, Some("mypy"), r"^\S+\.pyi?:\d+(?::\d+)?: error: |\bFound [1-9]\d* errors? in \d+ files?(?: \(|$)"),
    check("check.pyright", 0.9, Some("pyright"), r"\.pyi?:\d+:\d+ - error: |^[1-9]\d* errors?, \d+ warnings?, \d+ informations?"),
    check("check.ruff", 0.9, Some("ruff"), r"^Found [1-9]\d* errors?(?: \(.*\))?\.$|^[1-9]\d* files? would be reformatted|^Would reformat: |^unformatted: "),
    check("check.black", 0.9, Some("black"), r"^would reformat \S|^Oh no! .*"),
    check("check.flake8", 0.85, Some("flake8"), r"^\S+\.py:\d+:\d+: [A-Z]{1,4}\d{3,4}:? "),
    check("check.isort", 0.85, Some("isort"), r"Imports are incorrectly sorted"),
    check("check.eslint", 0.9, Some("eslint"), r"✖ [1-9]\d* problems? \([1-9]"),
    check("check.prettier", 0.85, Some("prettier"), r"Code style issues (?:found|fixed)? ?in"),
    check("check.rustfmt", 0.8, Some("rustfmt"), r"^Diff in \S+"),
    check("check.golangci", 0.85, Some("golangci-lint"), r"^\S+\.go:\d+:\d+: .* \(\w+\)$"),
    check("check.go", 0.85, Some("go"), r"^(?:vet: )?\.?/?\S+\.go:\d+:\d+: |^FAIL\t\S+ \[build failed\]|^# \S+ \[\S+\.test\]"),
    check("check.gcc", 0.9, None, r"^\S+\.(?:c|cc|cpp|cxx|h|hpp|m|cu|swift|f90):\d+(?::\d+)?: (?:fatal )?error: |^collect2: error|ld returned [1-9]|undefined reference to"),
    check("check.java", 0.9, Some("javac"), r"\.(?:java|kt|scala):\d+(?::\d+)?: error: |^e: \S+\.kts?:|COMPILATION ERROR"),
    check("check.dotnet", 0.9, Some("dotnet"), r"\berror (?:CS|FS|MSB|NU)\d{4}:"),
    check("check.shellcheck", 0.8, Some("shellcheck"), r"\bSC\d{4} \((?:error|warning)\)"),
    check("build.failed", 0.85, None, r"^BUILD FAILED|\bBUILD FAILURE\b|^FAILURE: Build failed|^ninja: build stopped|^(?:g?make|mingw32-make)(?:\[\d+\])?: \*\*\* |^\[ERROR\] Failed to execute goal|^Build FAILED|(?i:^\W{0,4}(?:error: )?build failed\b)"),
    check("check.coverage", 0.8, None, r"(?i)required test coverage .* not reached|coverage .*(?:below|under|less than) .*threshold|coverage threshold .* not met"),
    check("check.tox", 0.85, Some("tox"), r"^\s*(?:\w[\w.-]*: FAIL\b|evaluation failed :\()|^ERROR:\s+\w+: commands failed"),
    check("check.npm_test", 0.8, None, r"(?i)npm (?:err!|error) test failed"),
    check("check.pre_commit", 0.8, Some("pre-commit"), r"\.{5,}Failed$|^- hook id: "),
    // Test runners, apart from their reports.
    check("test.section", 0.85, Some("pytest"), r"^=+ (?:FAILURES|ERRORS) =+$|^!+ .*errors? during collection|^INTERNALERROR>"),
    check("test.collection", 0.85, Some("pytest"), r"\bERROR collecting\b|ERROR: (?:not found|file or directory not found|usage):? "),
    check("test.cargo_failures", 0.85, Some("cargo"), r"^error: (?:\d+ targets? failed|test run failed|doctest failed)|^---- .* stdout ----$"),
    check("test.unittest_header", 0.85, Some("unittest"), r"^(?:FAIL|ERROR): \w+(?: \(|$)"),
    check("test.runner_failed", 0.8, None, r"(?i)\b(?:tests?|specs?|suites?) (?:run )?failed\b(?: with|:|$|\.|,)|\bthere (?:were|are) (?:failing tests|test failures)"),
    check("test.failed_list", 0.75, None, r"^\s*(?:FAILED|FAIL):? [\w./-]*(?:[Tt]est|[Ss]pec)\w*(?:[./:]\w|$|\s)"),
    check("assert.message", 0.7, None, r"\b(?:AssertionError|AssertionFailedError|ComparisonFailure|ExpectationNotMet\w*|AssertionException)\b|^E\s+assert |(?i)\bassertion [`'\x22]?.{0,120}failed\b|\bassert(?:ion)? failed\b"),
    check("assert.expected_got", 0.65, None, r"(?i)\bexpected:? .{1,160}?\b(?:but (?:was|got|found|received)|got|received|actual):? ?\S|^\s*(?:Expected|expected):? .+\n?$"),
    check("assert.expect_to", 0.65, None, r"\bexpect\(.{0,160}\)\.(?:not\.)?to\w*"),
    check("schema.mismatch", 0.7, None, r"(?i)\b(?:schema (?:mismatch|validation failed|violation)|does not (?:match|conform to) (?:the )?schema|failed (?:schema )?validation|validation failed|[1-9]\d* validation errors?\b|type ?-?check(?:ing)? failed)"),
    check("ci.red", 0.65, None, r"(?i)\b[1-9]\d* (?:of|out of|/) ?\d+ (?:checks?|tests?|jobs?|specs?|builds?|steps?) (?:are |is |were |was )?(?:red|failed|failing|not passing|broken)\b|\b[1-9]\d* (?:failing|failed) (?:checks?|tests?|jobs?|specs?)\b"),

    // Stack traces and exceptions.
    run("trace.python", 0.9, r"Traceback \(most recent call last\)|^\s*File .{1,300}, line \d+, in "),
    run("trace.java", 0.85, r"^\s+at [\w.$<>/]+\((?:[\w$]+\.(?:java|kt|scala|groovy):\d+|Native Method|Unknown Source)\)|^Caused by: |^Exception in thread "),
    run("trace.javascript", 0.8, r"^\s+at .{0,200}(?:\(node:|\.[cm]?[jt]sx?:\d+:\d+|\(<anonymous>\)|\[eval\])|^Uncaught "),
    run("trace.dotnet", 0.85, r"^\s+at [\w.<>`]+\(.*\) in \S.*:line \d+|^Unhandled exception"),
    run("trace.ruby", 0.85, r"^\s*from \S+\.rb:\d+:in |\.rb:\d+:in .*\(\w*(?:Error|Exception)\)"),
    run("trace.go", 0.9, r"^panic: |^goroutine \d+ \[|^fatal error: (?:all goroutines|concurrent|runtime|stack)"),
    run("trace.rust", 0.9, r"\bthread '.*' (?:\(\d+\) )?panicked at\b|\bpanicked at ['\w/]"),
    run("trace.php", 0.85, r"PHP (?:Fatal|Parse) error|^(?:Fatal|Parse) error: |Uncaught \w*(?:Error|Exception)"),
    run("trace.c", 0.85, r"^==\d+==\s?(?:ERROR|Invalid (?:read|write))|AddressSanitizer|runtime error: |terminate called after throwing|^\*\*\* (?:stack smashing|Error in)|double free|heap corruption"),
    run("exception.line", 0.8, r"^(?:E\s+)?(?:\w+[.:]{1,2})*[A-Z]\w*(?:Error|Exception|Interrupt)(?: \[\w+\])?(?:: .*)?$"),
    run("exception.thrown", 0.7, r"\b(?:threw|throws|thrown|raised|unhandled|uncaught|unexpected) (?:an? )?(?:\w+ )?(?:[\w.]*[A-Z]\w*(?:Error|Exception)|exception)\b|\b[Uu]nexpected [Ee]xception\b|\b[Uu]ncaught ?[Ee]xception\b|^(?:\S+ )?Exception in (?:task|thread|worker|block|handler|callback)\b"),
    run("exception.named", 0.6, r"\b(?:[a-z]\w*\.){2,}[A-Z]\w*(?:Error|Exception)\b: "),
    // Signals and exits.
    run("signal.crash", 0.9, r"(?i)\bsegmentation fault\b|\bsegfault(?:ed|s)? |\bsegfault$|\bcore dumped\b|\bbus error\b|\billegal instruction\b|\bfloating point exception\b|trace/breakpoint trap|\bstack overflow\b|\bSIG(?:SEGV|ABRT|KILL|BUS|ILL|FPE)\b"),
    run("signal.killed", 0.8, r"^(?:\S+: line \d+:)?\s*\d+ Killed\b|^(?:Killed|Aborted|Terminated|Abort trap: 6)(?: \(core dumped\)|\s*$)|(?i)\bout of memory\b|\boom[- ]?kill|\bkilled by signal\b|\bcannot allocate memory\b"),
    run("exit.code", 0.75, r"(?i)\bexit(?:s|ed|ing)?(?: status| code| with)*(?: (?:an? )?(?:error|status|exit|return|non-?zero))*(?: code| status)*[:=]? ?(?:non-?zero|[1-9]\d{0,2})\b|\breturned (?:a )?(?:non-?zero|exit (?:code|status) [1-9])|\bnon-?zero exit\b|\bcommand failed\b|\b(?:exit|return) (?:code|status)[:=]? ?(?:is |was )?[1-9]\d{0,2}\b|\brc=[1-9]"),
    run("process.died", 0.65, r"(?i)\b(?:kernel|process|worker|server|daemon|service|job|container|task|executor|child|application|program|script|it) (?:has |was |got )?(?:unexpectedly |abnormally )?(?:terminated|crashed|died|killed|aborted)\b|\bkernel panic\b|\bcrash(?:ed|es)? (?:on|at|when|with|after|while|in|during)\b"),
    // Shells and command-line tools.
    run("shell.not_found", 0.85, r"\bcommand not found\b|: not found$|\bis not recognized as an internal or external command|\bnot a git repository\b"),
    run("shell.errno", 0.8, r": (?:No such file or directory|Permission denied|Is a directory|Not a directory|File exists|No space left on device|Operation not permitted|Connection refused|Connection reset by peer|Connection timed out|Broken pipe|Input/output error|Device or resource busy|Read-only file system|Argument list too long|Cannot open|Exec format error)\b"),
    run("shell.cannot", 0.75, r"^[\w./-]+: (?:cannot|can't|could not|unable to|unrecognized|invalid option|illegal option|missing operand|unknown option)\b"),
    run("shell.syntax", 0.8, r"(?i)\bsyntax error(?: near|:|, |$| at | in | on )|\bparse error(?: near|:|, | at | on )|\bunexpected (?:token|end of file|EOF|identifier)\b"),
    run("shell.fatal", 0.85, r"^(?:fatal|FATAL|panic|abort): |^error: (?:patch|pathspec|failed|cannot|could not|unable|unknown|invalid|no such|unexpected|Your local changes|the following|externally-managed)|patch does not apply|^CONFLICT \(|^curl: \(\d+\)|^npm (?:ERR!|error) |^ERROR: (?:Could not|No matching|Cannot|Failed)|^E: |^wget: |^ssh: |^docker: Error"),
    run("shell.error_line", 0.6, r"^(?:[\w./-]+: )?(?:[Ee]rror|ERROR)(?:\[\w+\])?: ?\S"),
    // Logs.
    run("log.severity", 0.75, r#"^(?:\[?[\d:.,TZ/+-]+\]?[ \t]+){0,4}(?:\S{1,40}[ \t]+){0,2}[\[<]?(?:ERROR|FATAL|CRITICAL|SEVERE|EMERG|ALERT|CRIT)[\]>]?(?:[:\s|]|$)|^(?:\[?\d[\d:.,TZ/+-]+\]?[ \t]+){1,4}(?:\d+[ \t]+){0,2}[EF][ /]|"(?:level|severity|lvl)" ?: ?"(?:error|fatal|critical|panic|emergency|alert)"|\b(?:level|lvl|severity)=(?:error|fatal|crit|critical|panic)\b|^\[[^\]]{5,40}\] \[(?:\w+:)?(?:error|crit|alert|emerg)\]"#),
    run("log.failed_to", 0.6, r"(?i)\b(?:failed|unable) to \w+|\bfailure (?:to|in|while|during|of) \w+"),
    run("log.failed", 0.6, r"(?:^|[\s)\]:'\x22])(?:FAILED|failed|Failed)(?:\s*[:;.!]|$|\s+(?:with|because|due|on|for|at|after|while|during)\b)"),
    run("log.error_doing", 0.6, r"(?i)\berrors? (?:(?:while|when|during|in|at) )?(?:read|writ|creat|open|clos|send|receiv|load|process|connect|contact|pars|execut|runn|start|stopp|initiali[sz]|handl|updat|delet|allocat|mapp|mount|call|fetch|sav|decod|launch|register|communicat|bind|resolv|access|invok)ing\b|\b(?:read|write|parity|i/o|io|disk|network|link|hardware|socket|parse|internal|protocol|memory|connection|timeout|server|fatal|unrecoverable|uncorrectable|unexpected|unknown) error(?:\b[^s(-]|$)"),
    run("log.could_not", 0.55, r"(?i)(?:^|[\s:)\]])(?:could not|couldn't) \w+|\b(?:file|directory|path|script|table|host|device) (?:does not exist|not found)\b"),
    run("log.cannot", 0.55, r"(?i)(?:^|[\s:)\]])(?:can't|cannot|can not) (?:find|open|read|write|connect|reach|load|create|access|resolve|allocate|start|bind|contact|parse|be (?:found|opened|read|loaded|reached|resolved)|get|determine|mount|initiali[sz]e|locate|fork|exec|map|send|receive|continue|recover|proceed)\b"),
    run("log.lost", 0.6, r"(?i)\b(?:link|connection|socket|session|channel|pipe) (?:has been |was |is )?(?:severed|refused|reset|aborted|dropped unexpectedly)\b|\blost (?:executor|connection|contact|node|worker|task)\b|\btimed out (?:waiting|while|after|on)\b|\bno route to host\b|\bhost (?:is )?unreachable\b|\b(?:connection|request|operation|read|connect) timed out\b|\bauthentication failure\b|\baccess (?:is )?denied\b|\bpermission denied\b|\bforbidden by\b"),
    run("log.bad_state", 0.55, r"(?i)\bin (?:an? )?error state\b|\bbad (?:message|header|packet|address|magic|checksum|block|descriptor)\b|\bhit assert\b|\bassert(?:ion)? (?:condition|expression)\b|\buncorrectable\b|\bpanic(?:!| -)|\binvalid (?:method|request|argument|credentials|uri|command|token|opcode|pointer|header|magic|checksum|memory)\b|\b(?:is|was) (?:null|nil)(?: or (?:null|empty))?\b|\bnull ?pointer|\bchecksum (?:mismatch|error)\b|\bcorrupt(?:ed|ion)\b|\bdeadlock (?:detected|found)|\bexpecting .{1,60} instead of\b"),
    run("log.interrupt", 0.55, r"(?i)\b(?:data storage|instruction storage|tlb error|machine check) interrupt\s*$"),
];

/// Sentences of a person or a tool: matched case-insensitively, and only in short texts.
#[rustfmt::skip]
pub(super) const SAID: &[FailureRule] = &[
    check("said.tests_fail", 0.65, None, r"\b(?:tests?|specs?|checks?|suite|test suite|ci|pipeline|build|lint|linter|type ?check\w*|assertions?|validation)\b(?: \S+){0,3}? (?:still |now |again |all |just |keeps? |are |is |was |were |has |have )*(?:fail(?:s|ed|ing)?|red|broken|broke|not pass\w*|complain(?:s|ing)?|not green)\b"),
    check("said.fails_tests", 0.65, None, r"\b(?:fails?|failed|failing|broke|breaks|breaking|does(?: not|n't) pass) (?:the |my |our |all |all the |most |some |several |\d+ )?(?:unit |integration |existing |e2e )?(?:tests?|specs?|checks?|build|ci|pipeline|lint|type ?check|validation)\b"),
    check("said.checker_complains", 0.65, None, r"\b(?:clippy|mypy|eslint|ruff|flake8|pylint|pyright|tsc|rustc|linter|compiler|type ?checker|validator|sonar\w*|ci) (?:\w+ )?(?:complains?|reports?|rejects?|says|flags?|found|finds|errors? out|is (?:red|unhappy|not happy))\b"),
    check("said.does_not_compile", 0.7, None, r"\b(?:does(?:n't| not)|won't|will not|do not|don't|didn't|did not|no longer|cannot|can't) (?:even )?(?:compile|build|type ?check|lint|validate)\b|\b(?:compile|compilation|lint|build|type) errors?\b|\bcompile error\b"),
    check("said.should_but", 0.55, None, r"\b(?:should|expected|supposed to)\b.{1,80}\bbut\b.{0,20}\b(?:got|gets?|returns?|returned|gives?|was|is|it|prints?|shows?|fails?|throws?|does(?:n't| not)|did(?:n't| not))\b"),
    run("said.crashes", 0.65, r"\b(?:it|this|that|app|server|program|script|process|code|function|service|job|page|tool|cli|api|daemon|build|everything) (?:just |still |now |always |immediately |again )?(?:crash(?:es|ed)|panics|panicked|segfaults|segfaulted|dies|died|hangs|blows up|blew up|aborts|aborted|errors out|throws|threw)\b"),
    run("said.exits", 0.65, r"\bexits? (?:with|code|status)\b.{0,12}\b[1-9]\d{0,2}\b"),
    run("said.error_shown", 0.6, r"\b(?:i|we|it|this|that|now|still|but) (?:\w+ )?(?:get|gets|getting|got|see|seeing|saw|gives?|gave|throws?|threw|raises?|raised|shows?|showed|prints?|hit|hits|returns?|returned) (?:me |us )?(?:an?|the|this|the following|lots of|many|same|the same)? ?(?:\w+ ){0,2}(?:error|exception|traceback|stack ?trace|segfault|panic|crash)\b"),
    run("said.runtime_noun", 0.6, r"\b(?:null pointer (?:exception|dereference)|syntax error|type error|undefined is not a function|cannot read propert\w+|stack overflow)\b|^\W*[\w.]+ is (?:not defined|undefined)\W*$"),
];

/// Words that look like a failure but are not. Neither the tables above nor the base set read what they match.
#[rustfmt::skip]
const GUARDS: &[&str] = &[
    r"\b(?:0|no|zero|without(?: any| an)?|never any|free of|not a single) (?:\w+ )?(?:errors?|exceptions?|fail(?:ed|ures?|ing)|failed|crash(?:es)?|panics?|issues?|problems?|regressions?)\b(?: (?:found|detected|reported|so far))?(?:, \d+ warnings?)?",
    r"\b(?:validation |lint |type |test |build )?(?:errors?|fail(?:ed|ures?|s)?|exceptions?|crashes|panics)\b(?: count| rate| total)?['\x22]? ?[=:] ?(?:0(?:\.0+)?\b(?:\D|$)|none\b|null\b|nil\b|false\b|\[\]|\x22\x22|ok\b)",
    r"\b(?:error|exception|failure|panic|crash|fault)s?[ -]+(?:handl\w+|paths?|pages?|codes?|messages?|counts?|rates?|budgets?|margins?|reports?|reporter|reporting|boundar\w+|correct\w+|tolera\w+|recovery|classes|class|types?|log(?:s|ger|ging)?|buttons?|hooks?|rooms?|mode|course|threshold|track\w+|list|section|icon|text|string|response|budget|prone|free)\b",
    r"\b(?:fail(?:ed|ing|ure)?|error|errored|crashed)[ -](?:logins?|attempts?|paths?|requests?|jobs? (?:page|list|view|table)|login|scenarios?|fast|soft\w*|safe|over|open|back|inputs?|cases?)\b",
    r"\bfail(?:over|safe|fast)\b|\bx-?fail(?:ed)?\b|\bxfail\b|\bwill (?:be )?retr\w+\b",
    r"(?:^|\s)--?[\w-]*(?:fail|error|panic|crash)[\w-]*",
    r"[\w./-]*(?:error|exception|fail|failed|failure|crash|panic|traceback|invalid)s?[_/]\w[\w./-]*|[\w.-]*[/_](?:errors?|exceptions?|fail\w*|crash\w*|panic\w*)\w*(?:\.\w+)?",
    r"\b(?:error|failed|exception|panic|crash)\w*\(\)|\bconsole\.error\b",
    r"\b(?:errors?|exceptions?|failures?|crash(?:es)?|panics?|bugs?)(?:\(s\))?(?: \([^)]{0,40}\))? (?:was|were|is|are|been|has been|have been|got|now)? ?(?:handled|fixed|resolved|corrected|ignored|suppressed|recovered|caught|gone|cleared|detected and corrected|counted|expected|retried|disabled)\b",
    r"\b(?:crash|panic|error) \w+ (?:enabled|disabled|installed|registered|rendered|initiali[sz]ed)\b",
    r"\b(?:used to|previously|earlier|formerly|no longer|not|never|didn't|did not|doesn't|does not|won't|will not|don't|hasn't) (?:fail(?:ed|s|ing)?|crash(?:ed|es)?|panic(?:ked|s)?|error(?:ed)?)\b|\bfail(?:ed|ing|s) (?:previously|before|earlier|yesterday|last (?:time|week))\b",
    r"\bundefined (?:is (?:an? )?(?:valid|allowed|legal|fine|ok\w*|possible)|behaviou?rs?|values?|as|or null)\b",
    r"\bexpect(?:s|ed|ing)? (?:a|an|the|your|you|to|it|that) \w+(?: \w+)? to (?:arrive|come|call|be back|reply|finish|land|visit|hear)\b",
    r"\bexpected (?:failures?|to fail|exceptions?|errors?)\b|\bshould panic\b|\bpanic[- ]free\b|\bif (?:it|this|that|they|anything|something) (?:fails?|crash(?:es)?|errors?)\b|\b(?:when|if|in case|unless|until) .{0,40}\bfails\b",
    r"\b(?:fix(?:es|ed|ing)?|resolv\w+|repair\w*|unbreak\w*|debug\w*|skip\w*) (?:the |a |an |all |some |my |our )?(?:\w+ )?(?:failing|failed|broken|red|flaky) (?:tests?|builds?|checks?|specs?|ci|jobs?)\b",
    r"\badded? (?:an? )?(?:unit )?(?:tests?|cases?|checks?) for\b.{0,80}",
    // A result code (HRESULT) in brackets reports what a call returned; its caller continues.
    r"[^\n]*\[HRESULT = 0x[0-9a-fA-F]+\b[^\n]*",
    // Counters and settings.
    r"\b(?:max|min|num|total)\w*(?:fail|error|exception)\w*\b|\bmax\w* .{0,20}fail\w*\b",
];

/// Lines that report a success, or what a program prints about itself.
const HARMLESS: &[&str] = &[
    r"^(?:test )?.{1,300} \.\.\. (?:ok|skipped.*|expected failure|ignored|OK)$",
    r"^(?:PASSED|SKIPPED|XFAIL|XPASS|PASS|XFAILED) |\b(?:PASSED|XFAIL|XPASS|SKIPPED)(?: \(.*\))?(?:\s+\[\s*\d+%\])?$",
    r"^\s*(?:ok \d+|✓|✔|# Subtest:|√|\[       OK \]|--- PASS:|ok  \t)",
    r"^\s*(?:usage|Usage|USAGE):",
    r"(?i)\b(?:but |and |now |has |been |was |were |is |then |it |already |successfully )+(?:recovered|fixed|resolved|succeeded|works|passes|passing|green)\b|\b(?:detected and corrected|attempting to correct|retrying|recovered|will retry|falling back|fell back|ignoring|ignored)\b",
    r"(?i)^\W{0,2}(?:\S+ ){0,6}?\[?(?:INFO|DEBUG|TRACE|NOTICE)\]?(?:[:\s|]|$)",
    r"(?i)^(?:\S+: )?warning:",
    r"^\s*(?://|#(?:\s|$)|\*\s|/\*|--\s)",
    // Source code.
    r"^\s*(?:if .*[{:]\s*$|if .*\{.*\}|raise \w|throw (?:new )?\w+[(;]|return [\w.]+[(;]|def \w|class \w|fn \w|func \w|import \w|except\b.*:|\}? ?catch\b.*\{|print\(|log(?:ger|ging)?\.\w+\()",
    // Commit subjects, and relayed diagnoses made elsewhere.
    r"^(?:HEAD is now at |Previous HEAD position was |\[[\w/.-]+ [0-9a-f]{7,}\] |[0-9a-f]{7,40} |Merge |commit [0-9a-f]{7,})",
    r"(?i)^diagnostics? (?:report|info)",
];

pub(super) static RULE_SET: LazyLock<RegexSet> = LazyLock::new(|| set(RULES.iter().map(|rule| rule.pattern), false));
pub(super) static RULE_PATTERNS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| RULES.iter().map(|rule| patterns::exact(rule.pattern)).collect());
pub(super) static SAID_PATTERNS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| SAID.iter().map(|rule| patterns::regex(rule.pattern)).collect());
pub(super) static HARMLESS_SET: LazyLock<RegexSet> = LazyLock::new(|| set(HARMLESS.iter().copied(), false));
pub(super) static GUARD: LazyLock<Regex> = LazyLock::new(|| patterns::regex(&GUARDS.join("|")));

fn set(rules: impl Iterator<Item = &'static str>, folded: bool) -> RegexSet {
    RegexSetBuilder::new(rules)
        .case_insensitive(folded)
        .multi_line(true)
        .size_limit(1 << 26)
        .build()
        .expect("a constant")
}
