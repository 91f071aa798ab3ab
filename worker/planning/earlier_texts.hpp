#pragma once

#include <span>
#include <unordered_map>

#include "base/guid.hpp"
#include "base/json.hpp"
#include "storage/runs/run.hpp"
#include "storage/session/session.hpp"
#include "worker/planning/catalogue.hpp"

namespace waybill::worker {

/// A run that may be rendered later than it was made, and the workflow with which it is rendered.
struct LateRun {
  const storage::Run* run;
  WorkflowPtr workflow;
};

/// The stored templates that have changed since the events of runs, by run and code, as they were then, also
/// those that are deleted or renamed; null for one that did not exist. The run of a digest has the texts as
/// of its first step. A replay that is rendered again has the present ones. Both have those of the version of
/// their workflow instead of templates that are gone. The texts that those of a run include are there, too,
/// unless its workflow has them. Throws DatabaseUnavailable or StatementError.
std::unordered_map<Guid, json::object> earlier_texts(storage::Session& session,
                                                     std::span<const LateRun> runs);

/// The workflow with texts of `earlier_texts` in place of the present ones.
WorkflowPtr with_texts(const WorkflowPtr& workflow, const json::object& texts);

}  // namespace waybill::worker
