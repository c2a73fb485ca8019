//! Rule files that are too large or too deep for machine code.

const HEAD: &str = ":- players red, blue.
cell(C) :- between(1, 9, C).
:- state at(cell) -> player.
:- state n -> 0..9 = 0.
draw :- ply(6).
";

/// Rule files by name.
pub fn files() -> Vec<(String, String)> {
    let repeat = |part: &str, n: usize| part.repeat(n);
    let mut files = vec![
        (
            "5000 parentheses",
            format!("move(go) :- {}at(1, _){} ; n := 1.", repeat("(", 5000), repeat(")", 5000)),
        ),
        (
            "300 negations",
            format!("move(go) :- {}at(1, _){}.", repeat("\\+ (at(2, _) ; ", 300), repeat(")", 300)),
        ),
        (
            "60 negations",
            format!("move(go) :- {}at(1, _){}.", repeat("\\+ (at(2, _) ; ", 60), repeat(")", 60)),
        ),
        (
            "300 disjunctions",
            format!(
                "move(C) :- cell(C), ({}at(C, red){}), at(C) := red.",
                repeat("\\+ at(C, _) ; (n(3), ", 300),
                repeat(")", 300)
            ),
        ),
        (
            "300 conditions",
            format!(
                "move(C) :- cell(C), ({}at(C) := red{}).",
                repeat("at(C, _) -> n := 1 ; (", 300),
                repeat(")", 300)
            ),
        ),
        (
            "16 forks of actions",
            format!(
                "put(C) :- \\+ at(C, _), at(C) := red.\nput(C) :- at(C, _), clear(at(C)).\n\
                 move(go) :- {}n := 2.",
                repeat("(at(1, red) -> put(1), put(2) ; put(2), put(1)), ", 16)
            ),
        ),
        (
            "2000 sites in a list",
            format!(
                "move(C) :- cell(C), member(X, [{}]), n(N), X =:= N + C, at(C) := red.",
                (0..2000).map(|n| n.to_string()).collect::<Vec<_>>().join(", ")
            ),
        ),
        (
            "3000 tests in a row",
            format!("move(C) :- cell(C), {}at(C) := red.", repeat("\\+ at(C, blue), ", 3000)),
        ),
    ];
    let chain = |n: usize, calls: &str| {
        let mut text = String::new();
        for i in 0..n {
            let call = calls.replace("NEXT", &format!("p{}(C)", i + 1));
            text += &format!("p{i}(C) :- {call}.\n");
        }
        text + &format!(
            "p{n}(C) :- n(N), N < C, at(C, _).\nmove(C) :- cell(C), \\+ p0(C), at(C) := red."
        )
    };
    let long = "n(N), N < C, cell(D), D > C, \\+ at(D, blue), n(M), M < D, NEXT";
    files.push(("a chain of 1500 relations", chain(1500, long)));
    files.push(("40 doublings", chain(40, "(n(1), NEXT ; n(2), NEXT)")));
    files.into_iter().map(|(name, text)| (name.to_string(), format!("{HEAD}{text}\n"))).collect()
}
