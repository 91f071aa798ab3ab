#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "tests/simulate/database.hpp"
#include "tests/simulate/destinations.hpp"

namespace waybill::simulate {

/// When the businesses that had switched their mails off switched them on again.
using MailSwitches = std::map<Guid, Time>;

/// The run that an event causes with a workflow, if it causes one.
std::optional<Guid> expected_run(const Event& event, const WorkflowRow& workflow);

/// Checks an attempt when it begins: it is of a committed event and of the step that the run has in the
/// queue, its worker has a lease, and each earlier run of its ordered workflow and record is final or has
/// succeeded in the worker. With `keeps_sessions`, its run is not over. `owner` is the owner of the worker's
/// fibers.
void check_attempt(Database& database, const Destinations& destinations, const std::string& message,
                   Owner owner, const Guid& worker, Time now, bool keeps_sessions);

/// True if each expected run is final and nothing waits.
bool all_done(const Database& database);

/// Checks the end: nothing is lost and nothing invented. `without_faults`: each message was accepted once.
void check_end(Database& database, const Destinations& destinations, const MailSwitches& mails_on, Time now,
               bool without_faults);

}  // namespace waybill::simulate
