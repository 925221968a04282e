//! What addresses the reader of a prompt rather than the work, in the languages of comments; and the shapes of prompts.
//! Tables only.
//!
//! Patterns are written in lower case, without accents. Words are separated by a single space.

/// Attempts to rewrite a prompt; fine if a ban forbids them.
pub const ORDERS: &[&str] = &[
    // Words with spaced-out letters, which no phrase below finds: people do not write to each other like that.
    r"\b(?:\p{Ll}[ .]+){7,}\p{Ll}\b",
    // English
    r"\b(?:ignore|disregard|forget|override|overrule|bypass|discard|drop|skip|do not follow|don't follow|do not obey|don't obey|pay no attention to) (?:all |any |the |of |every |and |about )*(?:(?:previous|prior|above|earlier|preceding|other|existing|original|former|foregoing|system|initial|base|your|my|these|those) )+(?:instructions?|rules|prompts?|guidelines|directives|guardrails|orders|commands)\b",
    r"\b(?:ignore|disregard|forget|override|bypass) (?:all|any|the|every) (?:rules|guidelines|guardrails|directives)\b",
    r"\b(?:ignore|disregard|forget) (?:all |any |the )?instructions(?: and\b|[.,;!]|$)",
    r"\b(?:ignore|disregard|forget) (?:everything|all|anything) (?:above|before|else|previous|that came before|you)\b",
    r"\byou are (?:now|no longer|from now on)\b",
    r"\bfrom now on,? (?:you|act|respond|answer|ignore|obey)\b",
    r"\b(?:pretend|act) (?:to be|as if|as though|that you|as an? (?:different|unrestricted|new|other))\b",
    r"\b(?:new|updated|real) (?:system )?(?:instructions?|prompt):",
    r"\b(?:reveal|print|repeat|show|output|leak) (?:me )?(?:your|the) (?:system |hidden |initial |original )+(?:prompt|instructions?|message)\b",
    r"\b(?:jailbreak|developer mode|dan mode|do anything now)\b",
    // German
    r"\b(?:ignorier\w*|vergiss|vergesst|vergessen sie|missachte\w*|ubergeh\w*|umgeh\w*|verwirf|befolge nicht|beachte nicht) (?:\w+ ){0,3}?(?:vorherig|bisherig|fruher|obig|vorig|vorangegangen|vorstehend|alle|samtlich|jegliche|dein|meine|ihre|system)\w* (?:\w+ ){0,3}?(?:anweisung|regel|vorgabe|instruktion|befehl|richtlinie|system ?prompt|prompt|anordnung)\w*",
    r"\b(?:du bist|sie sind|ihr seid) (?:jetzt|nun|ab jetzt|ab sofort|von nun an|nicht mehr|nicht langer)\b",
    r"\b(?:ab jetzt|ab sofort|von nun an|von jetzt an) (?:bist|antwort\w+|handel\w+|gehorch\w+|ignorier\w+)\b",
    r"\b(?:tu|tue|tun sie|verhalte dich) so,? als\b",
    r"\b(?:zeig|verrate?|nenne?|gib|wiederhole?) (?:mir )?(?:deinen|den|ihren) (?:\w+ )?(?:system ?prompt|prompt|systemanweisung\w*)\b",
    // French
    r"\b(?:ignore[rz]?|oublie[rz]?|neglige[rz]?|contourne[rz]?|ne (?:tiens|tenez) pas compte|ne (?:suis|suivez) pas) (?:\w+[ '])*?(?:instruction|consigne|regle|directive|ordre)s? (?:\w+[ '])*?(?:precedente?s?|anterieure?s?|ci dessus|prealables?|initiales?|du systeme|recues?|donnees?)\b",
    r"\b(?:ignore[rz]?|oublie[rz]?) (?:tou(?:te)?s|tout) (?:les|tes|vos|mes|ce qui precede)\b",
    r"\b(?:tu es|vous etes) (?:desormais|maintenant|dorenavant)\b",
    r"\b(?:a partir de maintenant|desormais|dorenavant),? (?:tu|vous|reponds|agis)\b",
    r"\b(?:fais|faites) (?:comme si|semblant)\b",
    r"\b(?:revele|revelez|affiche|affichez|montre|montrez|repete|repetez) (?:\w+[ '-])*?(?:prompt|invite systeme|instructions (?:systeme|du systeme|cachees))\b",
    // Spanish
    r"\b(?:ignor[ae]\w*|olvid[ae]\w*|descart[ae]\w*|omit[ae]|no sigas|no siga|desobedece|pas[ae] por alto) (?:\w+ ){0,3}?(?:instruccion\w*|reglas?|ordenes|directrices|indicaciones) (?:\w+ ){0,2}?(?:anterior\w*|previ[ao]s?|de arriba|del sistema|iniciales|originales|recibidas|dadas)\b",
    r"\b(?:ignor[ae]|olvid[ae]) (?:todo lo anterior|tod[ao]s (?:las|los|tus|sus|mis))\b",
    r"\b(?:ahora eres|ahora es usted|eres ahora|ya no eres)\b",
    r"\b(?:a partir de ahora|desde ahora|de ahora en adelante),? (?:eres|responde|actua|obedece|tu|usted)\b",
    r"\b(?:finge|actua como si|haz como si|simula que)\b",
    r"\b(?:revela|muestra|muestrame|imprime|repite) (?:\w+ ){0,3}?(?:prompt|instrucciones del sistema|mensaje del sistema)\b",
    // Portuguese
    r"\b(?:ignor[ae]\w*|esque[cç][ae]\w*|desconsider[ae]\w*|descart[ae]\w*|nao siga|desobede[cç]a) (?:\w+ ){0,3}?(?:instru[cç]\w*|regras?|ordens|orienta[cç]\w*|diretrizes|comandos) (?:\w+ ){0,2}?(?:anterior\w*|previ[ao]s?|acima|do sistema|iniciais|originais|recebidas|dadas)\b",
    r"\b(?:ignor[ae]|esque[cç][ae]) (?:tudo o que|tudo acima|tod[ao]s (?:as|os) (?:suas|seus|instru))",
    r"\b(?:agora voce e|voce agora e|agora es|voce nao e mais)\b",
    r"\b(?:a partir de agora|de agora em diante),? (?:voce|responda|aja|obedeca)\b",
    r"\b(?:finja|aja como se|faca de conta)\b",
    // Italian
    r"\b(?:ignor[ai]\w*|dimentica\w*|trascura\w*|non seguire|disobbedisci) (?:\w+ ){0,3}?(?:istruzion[ei]|regol[ae]|direttiv[ae]|indicazion[ei]|ordini|comandi) (?:\w+ ){0,2}?(?:precedent[ei]|anterior[ei]|sopra|di sistema|del sistema|inizial[ei]|original[ei]|ricevut[ei])\b",
    r"\b(?:ora sei|adesso sei|sei ora|non sei piu)\b",
    r"\b(?:d'ora in poi|da ora in poi|da adesso in poi),? (?:sei|rispondi|agisci|tu)\b",
    r"\b(?:fai finta|fingi|comportati come se)\b",
    // Dutch
    r"\b(?:negeer|vergeet|volg niet|omzeil) (?:\w+ ){0,3}?(?:vorige|eerdere|bovenstaande|voorgaande|alle|je|jouw|systeem)\w* (?:\w+ ){0,2}?(?:instructie|regel|aanwijzing|opdracht|richtlijn|prompt)\w*",
    r"\b(?:je bent (?:nu|vanaf nu|niet langer)|vanaf nu (?:ben|antwoord|doe)|doe alsof)\b",
    // Russian
    r"(?:игнорируй|проигнорируй|забудь|отбрось|не следуй|не выполняй|не обращай внимания на)\w* (?:\w+ ){0,3}?(?:инструкци|указани|правил|команд|промпт)\w*",
    r"(?:теперь ты|ты теперь|отныне ты|ты больше не|с этого момента ты|притворись|веди себя как)",
    // Polish
    r"\b(?:zignoruj|ignoruj|zapomnij|pomin|nie przestrzegaj) (?:\w+ ){0,3}?(?:instrukcj|polece|zasad|regul|wytyczn)\w*",
    r"\b(?:jestes teraz|teraz jestes|od teraz jestes|udawaj)\b",
    // Turkish
    r"\b(?:onceki|yukaridaki|tum|butun) (?:\w+ ){0,2}?(?:talimat|komut|kural|yonerge)\w* (?:\w+ ){0,2}?(?:yok say|gormezden gel|unut|dikkate alma)",
    // Chinese
    r"(?:忽略|无视|無視|忽视|忽視|忘记|忘記|忘掉|抛弃|不要遵守|不要遵循|不要理会|不要理會|请勿遵循|绕过|繞過)[^.\n]{0,8}(?:之前|以前|以上|上面|上述|前面|先前|所有|全部|一切|任何|原来|原有|你的|系统|系統)[^.\n]{0,12}(?:指令|指示|提示|规则|規則|命令|要求|说明|說明|设定|設定|约束|約束)",
    r"(?:你现在是|你現在是|从现在开始你|從現在開始你|从现在起你|從現在起你|你不再是|假装你|假裝你|假设你是|假設你是)",
    r"(?:显示|顯示|输出|輸出|泄露|洩露|透露|告诉我|告訴我|重复|重複)[^.\n]{0,10}(?:系统提示|系統提示|提示词|提示詞|系统消息|系統訊息)",
    // Japanese
    r"(?:以前|これまで|今まで|前の|上記|上の|すべて|全て|全部|システム)[^.\n]{0,12}(?:指示|命令|ルール|プロンプト|指令|規則|設定|制約)[^.\n]{0,8}(?:無視して|無視しろ|無視せよ|無視しなさい|忘れて|忘れろ|破棄して|従わない|従うな)",
    r"(?:あなたは今から|今からあなたは|これからあなたは|あなたはもう|ふりをして|になりきって)",
    // Korean: a syllable is up to three letters here.
    r"(?:이전|위의|모든|앞선|기존|시스템)[^.\n]{0,30}(?:지시|명령|규칙|지침|프롬프트)[^.\n]{0,20}(?:무시하고|무시하세요|무시하라|무시해|잊어|잊으|따르지 마)",
    r"(?:너는 이제|당신은 이제|이제부터 너는|이제부터 당신은|지금부터 너는|지금부터 당신은)",
    // Arabic
    r"(?:تجاهل|تجاهلي|انس|تغاض|لا تتبع)\w*[^.\n]{0,24}(?:التعليمات|تعليمات|الأوامر|القواعد|الإرشادات|التوجيهات)",
    r"(?:أنت الآن|انت الان|من الآن فصاعدا|تظاهر بأنك)",
    // Hindi
    r"(?:निर्देश|आदेश|नियम)[^.\n]{0,24}(?:अनदेखा|अनदेखी|नज़रअंदाज|नजरअंदाज|भूल जा)",
];

/// Shapes that end the text's place in a prompt and begin another, whatever their content, even in code.
pub const TOKENS: &[&str] = &[
    r"<\|[^|>\n]{1,40}\|>",
    r"\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>",
    r"</?[ \t]*(?:\w+:)?(?:system|assistant|human|invoke|function_?calls?|function_?results?|tool_?calls?|tool_?use|tool_?results?|tool_?response)\b[^<>\n]{0,200}>?",
    r"<(?:function|tool)=",
    r#"\{\s*"(?:tool_calls?|function_call|tool_name|recipient_name)"\s*:"#,
    r#""name"\s*:\s*"[^"\n]{1,80}"\s*,\s*"(?:arguments|parameters|input)"\s*:"#,
    r"(?:```|~~~)[ \t]*(?:system|assistant|user|human|developer|tool|tool_code|prompt|instructions?)\b",
    r"#{2,6}[ \t]*(?:system|assistant|human|user|developer|instructions?|response)\b[ \t]*:",
];

/// Shapes that do so unless shown as code.
pub const STRUCTURE: &[&str] = &[
    r"(?m)^[ \t]{0,3}#{1,6}[ \t]",
    r"(?m)^[ \t]{0,3}(?:={3,}|-{3,}|\*{3,}|_{3,})[ \t]*$",
    r"(?m)^[ \t>*-]*\[?(?:system|assistant|human|user|developer|tool)\]?[ \t]*:",
    r"[.!?][ \t]+\[?(?:system|assistant|developer)(?: (?:prompt|message))?\]?[ \t]*:",
    r"</?[ \t]*(?:user|developer|instructions?|prompt|rules?|context|tool|parameter|thinking)(?:[ \t]+[^<>\n]{0,200})?[ \t]*/?>",
    r"<!--|-->",
    r"```|~~~",
];
