#pragma once

/// The attributes of clang's thread-safety analysis, by the names of its manual
/// (clang.llvm.org/docs/ThreadSafetyAnalysis.html). The build treats its warnings as errors. Other compilers
/// ignore them.
#if defined(__clang__)
#define WAYBILL_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define WAYBILL_ATTRIBUTE(attribute)
#endif

#define CAPABILITY(name) WAYBILL_ATTRIBUTE(capability(name))
#define SCOPED_CAPABILITY WAYBILL_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(mutex) WAYBILL_ATTRIBUTE(guarded_by(mutex))
#define ACQUIRED_AFTER(...) WAYBILL_ATTRIBUTE(acquired_after(__VA_ARGS__))
#define REQUIRES(...) WAYBILL_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) WAYBILL_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) WAYBILL_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define ACQUIRE_SHARED(...) WAYBILL_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) WAYBILL_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
#define RELEASE(...) WAYBILL_ATTRIBUTE(release_capability(__VA_ARGS__))
#define RELEASE_GENERIC(...) WAYBILL_ATTRIBUTE(release_generic_capability(__VA_ARGS__))
