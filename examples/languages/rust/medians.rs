//! Asks a node for the medians of some columns, all at the same time:
//!     medians HOST:PORT
use std::process::exit;
use std::sync::mpsc;
use std::time::Duration;
use tchains::{Context, Error};

const COLUMNS: [&[f64]; 3] = [&[3.0, 1.0, 2.0], &[5.5], &[]];

fn ask(node: &str) -> Result<(), Error> {
    let context = Context::new()?;
    let endpoint = context.connect(node, Duration::ZERO)?;
    let median = context.open("median")?;
    let (answer, answers) = mpsc::channel();
    for (number, column) in COLUMNS.iter().enumerate() {
        let answer = answer.clone();
        let payload: Vec<u8> = column.iter().flat_map(|value| value.to_ne_bytes()).collect();
        endpoint.start_call(&median, &payload, 8, Duration::ZERO, move |reply| {
            let text = match reply {
                Ok(bytes) => f64::from_ne_bytes(bytes.try_into().unwrap()).to_string(),
                Err(error) => error.to_string(),
            };
            answer.send(format!("column {}: {}", number, text)).unwrap();
        })?;
    }
    context.wait_for_calls(Duration::from_secs(30))?;
    for line in answers.try_iter() {
        println!("{}", line);
    }
    Ok(())
}

fn main() {
    let node = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:7000".to_string());
    if let Err(error) = ask(&node) {
        eprintln!("medians: {}", error);
        exit(1);
    }
}
