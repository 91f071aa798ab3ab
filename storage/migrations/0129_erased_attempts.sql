-- True if an erasure met an attempt of the run: its answer is not kept, and the next step is rendered anew. The statement that
-- stores the end of the step sets it back. Earlier binaries keep the answer.
alter table run_queue add column erased boolean;
