use crate::call::CallId;
use crate::endpoint::{frame_max, info};
use crate::error::{check, empty, owned, result, room_in, start_of, text};
use crate::{nanoseconds, Context, EndpointInfo, Error, Function, Status};
use std::fmt;
use std::ptr;
use std::time::Duration;
use tchains_sys::*;

/// Processes that address each other by rank. Dropped, it closes its endpoints and its listener.
pub struct Group<'c> {
    context: &'c Context,
    pub(crate) raw: *mut tc_group,
}

impl Context {
    fn group_by(
        &self,
        make: impl FnOnce(*mut *mut tc_group, *mut tc_error) -> tc_status,
    ) -> Result<Group<'_>, Error> {
        let mut raw = ptr::null_mut();
        self.returned(check(|err| make(&mut raw, err)))?;
        Ok(Group { context: self, raw })
    }

    /// The group of the job that started this process, by tc-run, mpirun or Slurm.
    pub fn join(&self, timeout: Duration) -> Result<Group<'_>, Error> {
        self.group_by(|out, err| unsafe {
            tc_group_join(self.as_ptr(), nanoseconds(timeout), out, err)
        })
    }

    /// The group of the processes that listen at `hosts`, "host:port,host:port,...", of which this
    /// one is the rank; opens its listener.
    pub fn group(&self, hosts: &str, rank: u32) -> Result<Group<'_>, Error> {
        let hosts = text(hosts)?;
        self.group_by(|out, err| unsafe {
            tc_group_create_hosts(self.as_ptr(), hosts.as_ptr() as *const _, rank, out, err)
        })
    }

    /// A group of members that have exchanged their addresses ("host:port" of a listener or the
    /// bytes of `Context::address`) and the id by other means.
    pub fn group_of(&self, id: u64, rank: u32, members: &[&[u8]]) -> Result<Group<'_>, Error> {
        let table: Vec<tc_group_member> = members
            .iter()
            .map(|address| tc_group_member {
                address: start_of(address),
                size: address.len(),
            })
            .collect();
        let size = u32::try_from(table.len())
            .map_err(|_| Error::new(TC_E_INVALID, format!("{} members", table.len())))?;
        let params = tc_group_params {
            id,
            rank,
            size,
            members: table.as_ptr(),
        };
        self.group_by(|out, err| unsafe {
            let sizes = (
                std::mem::size_of_val(&params),
                std::mem::size_of::<tc_group_member>(),
            );
            tc_group_create_sized(self.as_ptr(), &params, sizes.0, sizes.1, out, err)
        })
    }
}

impl<'c> Group<'c> {
    /// This process's.
    pub fn rank(&self) -> u32 {
        unsafe { tc_group_rank(self.raw) }
    }

    pub fn size(&self) -> u32 {
        unsafe { tc_group_size(self.raw) }
    }

    pub fn id(&self) -> u64 {
        unsafe { tc_group_id(self.raw) }
    }

    /// The program that a rank runs, of those that tc-run started together: its number and name, 0
    /// and "" in other jobs. `None`: the group has no such rank.
    pub fn program(&self, rank: u32) -> Option<(u32, String)> {
        let mut name = ptr::null();
        match unsafe { tc_group_program(self.raw, rank, &mut name) } {
            TC_PROGRAM_NONE => None,
            number => Some((number, unsafe { owned(name) })),
        }
    }

    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// A member, this process itself included. The endpoint to it is made when it is first used, and
    /// again when it has ended.
    pub fn member(&self, rank: u32) -> Member<'_, 'c> {
        Member { group: self, rank }
    }

    /// Waits until the endpoints to all members are open.
    pub fn connect(&self, timeout: Duration) -> Result<(), Error> {
        self.context.returned(check(|err| unsafe {
            tc_group_connect(self.raw, nanoseconds(timeout), err)
        }))
    }

    /// Waits until all members are here, and runs their messages.
    pub fn barrier(&self, timeout: Duration) -> Result<(), Error> {
        self.context.returned(check(|err| unsafe {
            tc_group_barrier(self.raw, nanoseconds(timeout), err)
        }))
    }

    /// Calls a function at every rank at the same time; the answers, of at most `capacity` bytes each,
    /// by rank. Zero: the option `call_timeout`.
    pub fn call_all(
        &self,
        function: &Function,
        payload: &[u8],
        capacity: usize,
        timeout: Duration,
    ) -> Vec<Result<Vec<u8>, Error>> {
        let (ranks, mut err) = (self.size() as usize, empty());
        if let Err(error) = self.context.owns(function) {
            return vec![Err(error); ranks];
        }
        let mut answers = vec![0; ranks * capacity];
        let (mut sizes, mut statuses) = (vec![0; ranks], vec![NOT_CALLED; ranks]);
        let params = tc_group_call_params {
            results: room_in(&mut answers),
            result_capacity: capacity,
            sizes: sizes.as_mut_ptr(),
            statuses: statuses.as_mut_ptr(),
            timeout_ns: nanoseconds(timeout),
        };
        let status = unsafe {
            tc_group_call_all_sized(
                self.raw,
                function.raw,
                start_of(payload),
                payload.len(),
                &params,
                std::mem::size_of_val(&params),
                &mut err,
            )
        };
        let mut whole = result(status, &err).err(); // of the lowest rank that failed
        let one = |rank: usize| match statuses[rank] {
            TC_OK => Ok(answers[rank * capacity..][..sizes[rank].min(capacity)].to_vec()),
            NOT_CALLED => Err(Error::new(status, unsafe { owned(err.text.as_ptr()) })),
            failed => Err(whole
                .take()
                .unwrap_or_else(|| Error::new(failed, Status(failed).text()))),
        };
        self.context.returned((0..ranks).map(one).collect())
    }

    /// How many messages of this member's another one could not send on, and why the newest of
    /// them; calls are not counted.
    pub fn failures(&self) -> Option<(u64, Error)> {
        let mut err = empty();
        match unsafe { tc_group_failures(self.raw, &mut err) } {
            0 => None,
            count => Some((count, result(err.status, &err).err()?)),
        }
    }
}

const NOT_CALLED: tc_status = tc_status::MAX;

impl Drop for Group<'_> {
    fn drop(&mut self) {
        unsafe { tc_group_destroy(self.raw) };
        if !std::thread::panicking() {
            self.context.returned(());
        }
    }
}

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Group({} of {})", self.rank(), self.size())
    }
}

/// One rank of a group.
#[derive(Clone, Copy)]
pub struct Member<'g, 'c> {
    group: &'g Group<'c>,
    rank: u32,
}

impl<'c> Member<'_, 'c> {
    /// For use at once: the group replaces it when it has ended.
    pub(crate) fn endpoint(&self) -> Result<*mut tc_ep, Error> {
        let mut ep = ptr::null_mut();
        check(|err| unsafe { tc_group_ep(self.group.raw, self.rank, &mut ep, err) })?;
        Ok(ep)
    }

    pub(crate) fn context(&self) -> &'c Context {
        self.group.context
    }

    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// `Endpoint::send`; a payload that was partly sent stays so, and the member takes no other
    /// (TC_E_BUSY).
    pub fn send(
        &self,
        function: &Function,
        payload: &[u8],
        timeout: Duration,
    ) -> Result<(), Error> {
        self.context().owns(function)?;
        let ep = self.endpoint()?;
        // The library may read a payload that is longer than a frame, and was partly sent, for
        // as long as the context lives: that is a copy.
        let copy = (payload.len() > frame_max(ep)).then(|| payload.to_vec());
        let bytes = start_of(copy.as_deref().unwrap_or(payload));
        let sent = check(|err| unsafe {
            tc_send_wait(
                ep,
                function.raw,
                bytes,
                payload.len(),
                nanoseconds(timeout),
                err,
            )
        });
        if let (Some(copy), true) = (copy, sent.is_err()) {
            self.context().shared.keep(copy);
        }
        self.context().returned(sent)
    }

    /// `Endpoint::call`.
    pub fn call(
        &self,
        function: &Function,
        payload: &[u8],
        capacity: usize,
        timeout: Duration,
    ) -> Result<Vec<u8>, Error> {
        let mut answer = vec![0; capacity];
        let size =
            self.context()
                .call(self.endpoint()?, function, payload, &mut answer, timeout)?;
        answer.truncate(size);
        Ok(answer)
    }

    /// `Endpoint::start_call`.
    pub fn start_call(
        &self,
        function: &Function,
        payload: &[u8],
        capacity: usize,
        timeout: Duration,
        done: impl FnOnce(Result<&[u8], Error>) + Send + 'static,
    ) -> Result<CallId, Error> {
        let ep = self.endpoint()?;
        self.context()
            .start_call(ep, function, payload, capacity, timeout, Box::new(done))
    }

    /// `Endpoint::prepare`.
    pub fn prepare(&self, function: &Function, timeout: Duration) -> Result<(), Error> {
        self.context().owns(function)?;
        let ep = self.endpoint()?;
        self.context().returned(check(|err| unsafe {
            tc_ep_prepare(ep, function.raw, nanoseconds(timeout), err)
        }))
    }

    /// `Endpoint::flush`.
    pub fn flush(&self, timeout: Duration) -> Result<(), Error> {
        let ep = self.endpoint()?;
        self.context().returned(check(|err| unsafe {
            tc_ep_flush(ep, nanoseconds(timeout), err)
        }))
    }

    /// The present properties of the endpoint to it.
    pub fn info(&self) -> Result<EndpointInfo, Error> {
        Ok(info(self.endpoint()?))
    }
}
