#include "jumpcore/error.h"

const char *jc_error_text(int error)
{
    switch (error) {
    case JC_OK:
        return "no error";
    case JC_ERR_ARGUMENT:
        return "a parameter is out of range; this is a mistake in the calling program";
    case JC_ERR_NO_SPACE:
        return "the memory given is too small; give more";
    case JC_ERR_IO:
        return "the card or disk reported a read error; try again, then try another reader or card";
    case JC_ERR_RANGE:
        return "the read lies beyond the end of the card; the card may be smaller than it claims";
    case JC_ERR_BUSY:
        return "the device is still working on the last read; wait for it";
    case JC_ERR_NO_MEDIUM:
        return "there is no card; insert one";
    default:
        return "unknown error; please report it with the number";
    }
}
