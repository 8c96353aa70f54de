// 128-bit integers, for products of two 64-bit numbers.
#pragma once

namespace antiphon {

__extension__ typedef __int128 Int128;

}  // namespace antiphon
