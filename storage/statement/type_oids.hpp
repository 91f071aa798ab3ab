#pragma once

#include <cstdint>

namespace waybill::storage {

/// OIDs of pg_type (pg_type.dat of PostgreSQL), which never change.
namespace type_oid {
inline constexpr std::uint32_t boolean = 16;
inline constexpr std::uint32_t int8 = 20;
inline constexpr std::uint32_t int2 = 21;
inline constexpr std::uint32_t int4 = 23;
inline constexpr std::uint32_t text = 25;
inline constexpr std::uint32_t json = 114;
inline constexpr std::uint32_t float8 = 701;
inline constexpr std::uint32_t varchar = 1043;
inline constexpr std::uint32_t timestamptz = 1184;
inline constexpr std::uint32_t numeric = 1700;
inline constexpr std::uint32_t uuid = 2950;
inline constexpr std::uint32_t jsonb = 3802;
}  // namespace type_oid

}  // namespace waybill::storage
