#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/guid.hpp"
#include "storage/session/session.hpp"

// Functions for the files of PersonEraser.
namespace waybill::api {

/// The id of the newest event.
std::int64_t last_event(storage::Session& session);

/// Calls `use` with each guid in a path or list.
template <typename Use>
void for_guids(std::string_view text, Use use) {
  constexpr std::size_t length = 36;
  for (std::size_t i = 0; i + length <= text.size(); ++i) {
    if (const auto guid = Guid::parse(text.substr(i, length))) use(*guid);
  }
}

}  // namespace waybill::api
