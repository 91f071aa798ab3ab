#pragma once

#include <string_view>

namespace waybill::domain {

/// The kinds of contents in a customs declaration.
inline constexpr std::string_view customs_contents[] = {"merchandise",        "gift", "documents", "sample",
                                                        "return_merchandise", "other"};

/// Incoterms 2020 of the International Chamber of Commerce.
inline constexpr std::string_view incoterms[] = {"EXW", "FCA", "CPT", "CIP", "DAP", "DPU",
                                                 "DDP", "FAS", "FOB", "CFR", "CIF"};

}  // namespace waybill::domain
