/*
 * error.h - every way in which jumpcore can fail, as one enum.
 *
 * Functions that can fail return int: JC_OK (0) or a positive result where
 * their header says so, and otherwise one of these negative values.
 * jc_error_text() gives each a sentence for people that says what to do next.
 */
#ifndef JUMPCORE_ERROR_H
#define JUMPCORE_ERROR_H

enum jc_error {
    JC_OK = 0,

    /* general: -1 .. -19 */
    JC_ERR_ARGUMENT = -1, /* a parameter is outside its documented range */
    JC_ERR_NO_SPACE = -2, /* the caller's memory is too small */

    /* block devices and cards: -20 .. -59 */
    JC_ERR_IO = -20,        /* the medium reported an error */
    JC_ERR_RANGE = -21,     /* read beyond the last sector */
    JC_ERR_BUSY = -22,      /* a request is already in flight */
    JC_ERR_NO_MEDIUM = -23, /* no card, or it went away */
    /* SD cards: what goes wrong between the card and us ... */
    JC_ERR_SD_NO_RESPONSE = -24,  /* a command was not answered */
    JC_ERR_SD_RESPONSE_CRC = -25, /* an answer arrived damaged (CRC7) */
    JC_ERR_SD_RESPONSE = -26,     /* an answer to something else */
    JC_ERR_SD_COMMAND_CRC = -27,  /* the card received a damaged command */
    JC_ERR_SD_DATA_CRC = -28,     /* a sector arrived damaged (CRC16) */
    JC_ERR_SD_DATA_TIMEOUT = -29, /* no data within 100 ms */
    JC_ERR_SD_BUSY_TIMEOUT = -30, /* the card stayed busy */
    /* ... what the card itself reports ... */
    JC_ERR_SD_ILLEGAL = -31, /* illegal command in this state */
    JC_ERR_SD_ADDRESS = -32, /* address out of range or misaligned */
    JC_ERR_SD_ECC = -33,     /* its flash memory is failing */
    JC_ERR_SD_CARD = -34,    /* controller or other error bits */
    JC_ERR_SD_LOCKED = -35,  /* locked with a password */
    /* ... and what stops identification. */
    JC_ERR_SD_VOLTAGE = -36,      /* does not work at 3.3 V */
    JC_ERR_SD_INIT_TIMEOUT = -37, /* still starting after 1 s */
    JC_ERR_SD_NOT_SD = -38,       /* answers, but not as an SD memory card */
    JC_ERR_SD_SPI_ONLY = -39,     /* answers in SPI mode only */
    JC_ERR_SD_REGISTER = -40,     /* CID, CSD or SCR unreadable or unknown */

    /* volumes: -60 .. -99. First what stops a mount ... */
    JC_ERR_NO_FILE_SYSTEM = -60,   /* nothing that is recognised */
    JC_ERR_NO_PARTITION = -61,     /* no partition of that number */
    JC_ERR_PARTITION_TABLE = -62,  /* MBR entries that contradict each other */
    JC_ERR_PARTITION_BEYOND = -63, /* a partition begins or ends beyond it */
    JC_ERR_GPT = -64,              /* both copies of the GPT are damaged */
    JC_ERR_SECTOR_SIZE = -65,      /* logical sectors of other than 512 bytes */
    JC_ERR_BOOT_SECTOR = -66,      /* values that contradict each other */
    JC_ERR_BOOT_CHECKSUM = -67,    /* exFAT boot region */
    JC_ERR_VOLUME_BEYOND = -68,    /* the file system is larger than its partition */
    JC_ERR_FS_NTFS = -70,          /* recognised but not supported, by name */
    JC_ERR_FS_EXT = -71,
    JC_ERR_FS_HFS = -72,
    JC_ERR_FS_APFS = -73,
    /* ... then what does not (jc_volume_info.problems) ... */
    JC_ERR_UPCASE = -69,       /* exFAT up-case table missing or damaged */
    JC_ERR_GPT_PRIMARY = -74,  /* damaged; the backup was used */
    JC_ERR_GPT_BACKUP = -75,   /* damaged or missing */
    JC_ERR_FSINFO = -76,       /* nonsense in FAT32's FSInfo sector */
    JC_ERR_FAT32_SMALL = -77,  /* fewer than 65,525 clusters */
    JC_ERR_VOLUME_DIRTY = -78, /* not ejected, or marked as failing */
    /* ... paths and directories ... */
    JC_ERR_NOT_FOUND = -79,
    JC_ERR_NOT_A_FILE = -80,
    JC_ERR_NOT_A_DIRECTORY = -81,
    JC_ERR_BAD_PATH = -82,     /* not UTF-8, or a name over 255 units */
    JC_ERR_DIR_ENTRY = -83,    /* contradictory directory entry */
    JC_ERR_SET_CHECKSUM = -84, /* exFAT entry set */
    JC_ERR_DIR_TOO_LONG = -85, /* more entries than the format allows */
    JC_ERR_NAME = -86,         /* long name damaged, short one used */
    /* ... and what a file's clusters can suffer. */
    JC_ERR_CHAIN_LOOP = -87,    /* comes back to itself */
    JC_ERR_CHAIN_SHORT = -88,   /* ends before the file does */
    JC_ERR_CHAIN_LONG = -89,    /* goes on behind the file's end */
    JC_ERR_CLUSTER_RANGE = -90, /* a cluster number outside the volume */
    JC_ERR_CLUSTER_FREE = -91,  /* runs into a cluster marked free */
    JC_ERR_CLUSTER_BAD = -92,   /* runs into a cluster marked bad */
    JC_ERR_CROSS_LINK = -93,    /* two files share a cluster */
    JC_ERR_FILE_SIZE = -94,     /* larger than the volume */
    JC_ERR_VALID_LENGTH = -95,  /* exFAT ValidDataLength above DataLength */

    /* samples: -100 .. -119 */
    JC_ERR_SAMPLE_NOT_WAV = -100,   /* another kind of file */
    JC_ERR_SAMPLE_NO_FORMAT = -101, /* no fmt chunk */
    JC_ERR_SAMPLE_NO_DATA = -102,   /* no data chunk */
    JC_ERR_SAMPLE_EMPTY = -103,     /* not one whole frame */
    JC_ERR_SAMPLE_CODING = -104,    /* compressed, or an odd sample size */
    JC_ERR_SAMPLE_CHANNELS = -105,  /* none, or more than two */
    JC_ERR_SAMPLE_RATE = -106,      /* 0 or above 768,000 Hz */
    JC_ERR_SAMPLE_LAYOUT = -107,    /* a fmt chunk that contradicts itself */
    JC_ERR_SAMPLE_CHUNKS = -108,    /* too many chunks before the audio */

    /* engine: -120 .. -139. A configuration that cannot be ... */
    JC_ERR_ENGINE_VOICES = -120,   /* not 1 .. 8 */
    JC_ERR_ENGINE_CHANNELS = -121, /* not 1 or 2, or a sample that has more */
    JC_ERR_ENGINE_RATE = -122,     /* output rate */
    JC_ERR_ENGINE_BLOCK = -123,    /* not 64 .. 512 frames */
    JC_ERR_ENGINE_FADE = -124,     /* crossfade longer than a block */
    JC_ERR_ENGINE_SAMPLES = -125,  /* not 1 .. 16 */
    JC_ERR_ENGINE_HEADS = -126,    /* too many, or without a length */
    JC_ERR_ENGINE_SPEED = -127,    /* not 1 .. 32 */
    JC_ERR_ENGINE_WINDOW = -128,   /* too short or too long */
    JC_ERR_ENGINE_READ = -129,     /* not 8 .. 128 sectors */
    /* ... and commands that cannot be obeyed. */
    JC_ERR_ENGINE_QUEUE = -130,     /* 64 commands wait already */
    JC_ERR_ENGINE_NO_SAMPLE = -131, /* nothing is loaded under that number */
    JC_ERR_ENGINE_NO_SLICE = -132,  /* no such slice or frame */
    JC_ERR_ENGINE_TOO_FAST = -133,  /* pitch and sample rate exceed max_speed */
    JC_ERR_ENGINE_SPARES = -134     /* not 1 .. voices spare windows */
};

/* A sentence for people, never NULL; unknown values give a generic sentence. */
const char *jc_error_text(int error);

#endif
