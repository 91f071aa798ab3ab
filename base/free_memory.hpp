#pragma once

namespace waybill {

/// Gives memory that this thread has freed, or that others have freed of its allocations, back to the system.
/// An allocator keeps such memory for later, and one with a heap for each thread does not look at it before
/// that thread allocates again. Takes less than a millisecond if there is little of it.
void release_free_memory();

/// While set, memory that any thread frees of its own goes back to the system at once, as far as the
/// allocator can do so. Without it, free memory between used memory stays. It makes later allocations slower,
/// so it is for times in which much memory is held. Any thread.
void return_memory_at_once(bool at_once);

}  // namespace waybill
