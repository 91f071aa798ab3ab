#include "api/endpoint/inbound_sender.hpp"

#include <algorithm>
#include <utility>

#include "api/http/client_network.hpp"
#include "base/crypto.hpp"

namespace waybill::api {

InboundSender::InboundSender(CallLimit& failures, const Call& call, Time now)
    : failures_(failures),
      now_(now),
      network_(network_of(call.peer)),
      sender_(network_ + " " + call.id().to_string()) {
  for (const auto& caller : {network_, sender_}) {
    if (const auto wait = failures_.wait(caller, now)) {
      throw Failure(ErrorCode::rate_limited, "Too many calls were refused; try again later.")
          .with_retry_after(*wait);
    }
  }
}

Failure InboundSender::unknown(std::string_view kind) {
  failures_.failed(network_, now_);
  return not_found(kind);
}

Failure InboundSender::refused(std::string message) {
  failures_.failed(sender_, now_);
  return {ErrorCode::unauthorized, std::move(message)};
}

std::optional<std::string> delivery_key(std::optional<std::string_view> id) {
  constexpr std::size_t longest = 200;
  if (!id || id->empty()) return std::nullopt;
  const bool is_plain =
      id->size() <= longest && std::ranges::all_of(*id, [](char c) { return c > ' ' && c <= '~'; });
  return is_plain ? std::string(*id) : hex(sha256(*id));
}

}  // namespace waybill::api
