//! `failwise-mcp`: Failwise as a server of the Model Context Protocol, on standard input and output. It ends with its
//! input. Nothing but protocol is written to standard output.

#![expect(clippy::disallowed_methods, reason = "an executable: environment, clock and files are read here")]

mod answer;
mod arguments;
mod classify;
mod desk;
mod diagnose;
mod known;
mod lessons;
mod project;
mod recovery;
mod report;
mod runs;
mod server;
mod sieve;
mod tools;
mod why;

use std::io::Write;
use std::process::ExitCode;

use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::stdio_pipes;

use server::Server;
use sieve::{LONGEST_MESSAGE, MessageSieve};

/// Threads beside the first: one for the base; where the streams are no pipes, one for each of them.
const BLOCKING_THREADS: usize = 4;

const HELP: &str = "\
failwise-mcp: asks Failwise over the Model Context Protocol, on standard input and output.

It takes no arguments; an agent's client starts it. In Claude Code it comes with the plugin failwise-mcp;
for other hosts the README has the line. FAILWISE=off switches it off.
";

fn main() -> ExitCode {
    if let Some(argument) = std::env::args_os().nth(1) {
        return asked(&argument.to_string_lossy());
    }
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(BLOCKING_THREADS).build();
    let Ok(runtime) = runtime else { return ExitCode::from(74) };
    runtime.block_on(serve());
    // A client that went away without closing its end may leave a read behind.
    runtime.shutdown_background();
    ExitCode::SUCCESS
}

fn asked(argument: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    let said = match argument {
        "--version" | "-V" => writeln!(out, "failwise-mcp {}", env!("CARGO_PKG_VERSION")),
        "--help" | "-h" => out.write_all(HELP.as_bytes()),
        _ => {
            let _ = std::io::stderr().write_all(HELP.as_bytes());
            return ExitCode::from(64);
        }
    };
    if said.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(74) }
}

/// Answers until the input ends.
async fn serve() {
    let (input, output) = stdio_pipes();
    let transport = AsyncRwTransport::new_server(MessageSieve::new(input), output);
    // The sieve ends a longer line behind so much of it.
    let transport = transport.with_max_line_length(LONGEST_MESSAGE + 2);
    // A client that never begins, or breaks off, has had its answer: there is nobody left to tell.
    if let Ok(service) = Server::default().serve(transport).await {
        let _ = service.waiting().await;
    }
}
