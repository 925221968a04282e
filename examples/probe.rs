use feedbackd::{adapters::embedder::StaticEmbedder, ports::Embedder};
fn main() {
    let e = StaticEmbedder::embedded().unwrap();
    let t: Vec<String> = std::io::stdin().lines().map(|l| l.unwrap()).collect();
    let v = e.embed(&t);
    for i in 0..t.len() {
        for j in 0..i {
            if let (Some(a), Some(b)) = (&v[i], &v[j]) {
                let c = a.cosine(b);
                println!("{:.3} {} | {}", c, t[j], t[i])
            }
        }
    }
}
