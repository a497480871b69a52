// error[E0597]: the memory of a view goes with it
use std::time::Duration;
use tchains::{Endpoint, Error, GlobalPointer, Memory, WindowAccess};

pub fn memory_outlives_view<'e>(
    endpoint: &'e Endpoint,
    at: GlobalPointer,
) -> Result<u64, Error> {
    let memory: &Memory;
    {
        let view = endpoint.map_window(at, Duration::ZERO)?;
        memory = &view;
    }
    memory.get(0)
}
