#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/guid.hpp"
#include "storage/runs/run.hpp"
#include "storage/session/session.hpp"

namespace waybill::storage {

/// The addresses of mails, to be noted in mail_addresses. Other messages have none, and cost nothing.
class MailAddresses {
 public:
  void add(const Guid& business, const Guid& run, int step, std::span<const Guid> addresses);
  /// Adds those of a run whose texts are new.
  void add(const Run& run);
  bool empty() const { return runs_.empty(); }

  /// Writes the rows, if there are any, before the runs of the same transaction leave the queue. With
  /// `holder`, those of runs that this worker does not hold are left out; without, the runs are new.
  void write(Session& session, std::optional<Guid> holder) const;

 private:
  std::vector<Guid> businesses_, runs_, addresses_;
  std::vector<std::int64_t> steps_;
};

}  // namespace waybill::storage
