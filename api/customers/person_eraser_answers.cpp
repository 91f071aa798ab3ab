// Erases kept answers of requests (api/gate/idempotency.hpp).
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/customers/person_eraser.hpp"
#include "api/customers/person_eraser_parts.hpp"
#include "api/gate/idempotency.hpp"
#include "base/crypto.hpp"
#include "base/error.hpp"
#include "storage/sql/customer_erasures.sql.hpp"

namespace waybill::api {
namespace {

/// An answer without data, as the gate keeps it.
constexpr std::string_view empty_answer = R"({"data":null,"success":true})";

}  // namespace

/// Erases kept answers of requests that created the records or something that belongs to them, such as the
/// person as a contact of another customer. Of records that left the person, only answers from before they
/// left.
Step PersonEraser::erase_record_answers() {
  return [this, token = Guid(), key = std::string(), lasts = std::unordered_map<Guid, Time>()](
             storage::Session& session, std::size_t size) mutable {
    if (lasts.empty()) {
      const auto& left = search_.left();
      for (const auto& guid : search_.own().with(customers_)) lasts[guid] = Time::max();
      for (const auto& guid : contact_of_) lasts[guid] = Time::max();
      for (std::size_t i = 0; i < left.guids.size(); ++i) {
        Time& last = lasts.try_emplace(left.guids[i], Time::min()).first->second;
        last = std::max(last, left.lasts[i]);
      }
    }
    const auto limit = static_cast<std::int64_t>(size);
    const auto page = session.run(sql::customer_erasures::RecordAnswers{.business = target_.business,
                                                                        .after_token = token,
                                                                        .after_key = key,
                                                                        .session_owner = owner_of_sessions,
                                                                        .limit = limit});
    std::int64_t count = 0;
    for (const auto& answer : page) {
      bool is_theirs = false;
      for_guids(answer.location, [&](const Guid& guid) {
        const auto last = lasts.find(guid);
        is_theirs = is_theirs || (last != lasts.end() && answer.created_at <= last->second);
      });
      if (is_theirs) erase_answer(session, answer);
      ++count;
    }
    if (count < limit) return false;
    const auto last = page[static_cast<int>(count - 1)];
    token = last.token;
    key = last.key;
    return true;
  };
}

/// Erases kept answers that are found by their text alone: those of previews and tests of workflows, whose
/// paths name no record.
Step PersonEraser::erase_other_answers() {
  return [this, token = Guid(), key = std::string()](storage::Session& session, std::size_t size) mutable {
    if (words_.empty()) return false;
    const auto limit = static_cast<std::int64_t>(size);
    const auto page = session.run(sql::customer_erasures::OtherAnswers{.business = target_.business,
                                                                       .after_token = token,
                                                                       .after_key = key,
                                                                       .session_owner = owner_of_sessions,
                                                                       .limit = limit});
    if (page.empty()) return false;
    std::vector<std::string> bodies;
    for (const auto& answer : page) {
      const auto sealed = base64_decode(answer.body);
      if (!sealed) throw SecretError("a kept answer is not base64");
      bodies.push_back(secrets_.open(*sealed, kept_answer_purpose(answer.token, answer.key)));
    }
    const auto found = session.run(sql::customer_erasures::FindPerson{.answers = bodies, .words = words_});
    for (const auto& row : found) erase_answer(session, page[static_cast<int>(row.place) - 1]);
    const auto last = page[static_cast<int>(bodies.size()) - 1];
    token = last.token;
    key = last.key;
    return std::ssize(bodies) == limit;
  };
}

void PersonEraser::erase_answer(storage::Session& session, const auto& answer) const {
  const auto purpose = kept_answer_purpose(answer.token, answer.key);
  session.run(sql::customer_erasures::EraseAnswer{.owner = answer.owner,
                                                  .token = answer.token,
                                                  .key = answer.key,
                                                  .body = base64(secrets_.seal(empty_answer, purpose))});
}

}  // namespace waybill::api
