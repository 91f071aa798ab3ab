#pragma once

#include <vector>

#include "worker/outcomes/upstream.hpp"

namespace waybill::tests {

/// Takes no step of a run and ignores what is reported to it.
class NoUpstream : public worker::Upstream {
 public:
  void settled(const std::vector<storage::EventKey>& /*events*/,
               const worker::NextDue& /*next_due*/) override {}
  bool go_on(storage::ClaimedRun /*run*/) override { return false; }
  void note_room() override {}
};

}  // namespace waybill::tests
