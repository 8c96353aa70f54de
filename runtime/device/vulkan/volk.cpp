// The one file that holds volk's code. Its symbols stay inside the library (cmake/exports.map).
#include <volk.c>
