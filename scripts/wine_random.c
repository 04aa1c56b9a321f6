/* What bcryptprimitives.dll gives Rust's library on Windows, for versions of wine that lack it. Nothing ships it. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) { return RtlGenRandom(bytes, (ULONG)count); }
