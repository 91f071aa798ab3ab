#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace waybill {

/// 128 bits of a fast hash (SipHash-2-4) of the parts, the same on every machine. Different parts have
/// different fingerprints, unless somebody who knows all of a text beforehand searches for another with the
/// same one.
std::array<std::uint8_t, 16> fingerprint(std::span<const std::string_view> parts);

}  // namespace waybill
