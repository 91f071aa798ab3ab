#pragma once

#include <optional>
#include <string>

#include "base/json.hpp"
#include "matching/silence_cause.hpp"
#include "worker/alerts/alert_message.hpp"

namespace waybill::worker {

/// The condition as the member `condition` of a silence; null for nullopt.
json::value condition_json(const std::optional<matching::FailingCondition>& condition);

/// The headline of an alert about a silence, a sentence without its full stop.
std::string silence_headline(const Alert& alert);

/// The silence in words, in whole lines without the last line end.
std::string silence_text(const Alert& alert);

}  // namespace waybill::worker
