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
        return "the read lies beyond the end of the card; the card may be smaller than it claims, "
               "or the "
               "image cut short";
    case JC_ERR_BUSY:
        return "the device is still working on the last read; wait for it";
    case JC_ERR_NO_MEDIUM:
        return "there is no card; insert one";
    case JC_ERR_SD_NO_RESPONSE:
        return "the card did not answer; check contacts and wiring, then take it out and in again";
    case JC_ERR_SD_RESPONSE_CRC:
        return "the card's answer arrived damaged; shorten the wires or lower the bus clock";
    case JC_ERR_SD_RESPONSE:
        return "the card answered something else; take it out and in again";
    case JC_ERR_SD_COMMAND_CRC:
        return "the card received a damaged command; shorten the wires or lower the bus clock";
    case JC_ERR_SD_DATA_CRC:
        return "data from the card arrived damaged; shorten the wires, add pull-ups or lower the "
               "bus clock";
    case JC_ERR_SD_DATA_TIMEOUT:
        return "the card sent no data within 100 ms, the most that the SD standard allows; use "
               "another card";
    case JC_ERR_SD_BUSY_TIMEOUT:
        return "the card stayed busy; power-cycle it";
    case JC_ERR_SD_ILLEGAL:
        return "the card refused a command as illegal; power-cycle the card";
    case JC_ERR_SD_ADDRESS:
        return "the card refused an address; it may be smaller than it claims (try f3)";
    case JC_ERR_SD_ECC:
        return "the card's memory is failing (uncorrectable ECC error); save what you can and "
               "replace it";
    case JC_ERR_SD_CARD:
        return "the card reported an internal error; power-cycle it, then replace it";
    case JC_ERR_SD_LOCKED:
        return "the card is locked with a password; unlock it where it was locked";
    case JC_ERR_SD_VOLTAGE:
        return "the card does not work at 3.3 V; use another card";
    case JC_ERR_SD_INIT_TIMEOUT:
        return "the card did not finish starting within 1 s; power-cycle it";
    case JC_ERR_SD_NOT_SD:
        return "this is not an SD memory card (an MMC or SDIO card?); use an SD card";
    case JC_ERR_SD_SPI_ONLY:
        return "the card answers in SPI mode only; power-cycle it to get the faster SD mode back";
    case JC_ERR_SD_REGISTER:
        return "the card's identification registers are damaged or of an unknown version; use "
               "another card";
    case JC_ERR_NO_FILE_SYSTEM:
        return "no file system was recognised; format the card as FAT32 or exFAT (this erases it)";
    case JC_ERR_NO_PARTITION:
        return "there is no partition of that number; leave the choice open or pick another";
    case JC_ERR_PARTITION_TABLE:
        return "the partition table contradicts itself; save the files and format the card anew";
    case JC_ERR_PARTITION_BEYOND:
        return "the partition ends beyond the card; the card may be counterfeit (try f3) or the "
               "image cut short";
    case JC_ERR_GPT:
        return "both copies of the GPT partition table are damaged; repair with gdisk or format "
               "the card anew";
    case JC_ERR_SECTOR_SIZE:
        return "the file system uses sectors of other than 512 bytes; format the card with "
               "512-byte sectors";
    case JC_ERR_BOOT_SECTOR:
        return "the boot sector contradicts itself; save what you can and format the card anew";
    case JC_ERR_BOOT_CHECKSUM:
        return "the exFAT boot region fails its checksum; run fsck.exfat or chkdsk, or format anew";
    case JC_ERR_VOLUME_BEYOND:
        return "the file system is larger than its partition or the card; the card may be "
               "counterfeit (try f3) or the image cut short";
    case JC_ERR_UPCASE:
        return "the exFAT up-case table is missing or damaged; run fsck.exfat or chkdsk";
    case JC_ERR_FS_NTFS:
        return "this is NTFS, which is not supported; format the card as exFAT or FAT32";
    case JC_ERR_FS_EXT:
        return "this is a Linux ext file system, which is not supported; format the card as exFAT "
               "or FAT32";
    case JC_ERR_FS_HFS:
        return "this is Apple HFS, which is not supported; format the card as exFAT or FAT32";
    case JC_ERR_FS_APFS:
        return "this is APFS, which is not supported; format the card as exFAT or FAT32";
    case JC_ERR_GPT_PRIMARY:
        return "the main GPT partition table is damaged, its backup was used; repair with gdisk";
    case JC_ERR_GPT_BACKUP:
        return "the backup of the GPT partition table is damaged or missing; repair with gdisk";
    case JC_ERR_FSINFO:
        return "the FAT32 FSInfo sector is damaged; reading is not affected, fsck.fat or chkdsk "
               "repairs it";
    case JC_ERR_FAT32_SMALL:
        return "this FAT32 volume has fewer than 65,525 clusters; other devices may refuse it, "
               "format with smaller clusters";
    case JC_ERR_VOLUME_DIRTY:
        return "the volume was not ejected properly; run fsck or chkdsk, then eject it";
    case JC_ERR_NOT_FOUND:
        return "there is no file or directory of that name";
    case JC_ERR_NOT_A_FILE:
        return "that is a directory, not a file";
    case JC_ERR_NOT_A_DIRECTORY:
        return "that is a file, not a directory";
    case JC_ERR_BAD_PATH:
        return "the path is not valid UTF-8 or a name in it is longer than 255 characters";
    case JC_ERR_DIR_ENTRY:
        return "a directory entry is damaged; run fsck or chkdsk";
    case JC_ERR_SET_CHECKSUM:
        return "an exFAT directory entry fails its checksum; run fsck.exfat or chkdsk";
    case JC_ERR_DIR_TOO_LONG:
        return "a directory is longer than the format allows; run fsck or chkdsk";
    case JC_ERR_NAME:
        return "a long file name is damaged, the short one is used; run fsck or chkdsk";
    case JC_ERR_CHAIN_LOOP:
        return "the file's cluster chain runs in a circle; run fsck or chkdsk, then copy the file "
               "anew";
    case JC_ERR_CHAIN_SHORT:
        return "the file's cluster chain ends before the file does; run fsck or chkdsk, then copy "
               "the file anew";
    case JC_ERR_CHAIN_LONG:
        return "the file's cluster chain is longer than the file; harmless for reading, copying "
               "the file anew cures it";
    case JC_ERR_CLUSTER_RANGE:
        return "the file's cluster chain leaves the volume; run fsck or chkdsk, then copy the file "
               "anew";
    case JC_ERR_CLUSTER_FREE:
        return "the file's cluster chain runs into free space; run fsck or chkdsk, then copy the "
               "file anew";
    case JC_ERR_CLUSTER_BAD:
        return "the file's cluster chain runs into a cluster marked bad; copy the file anew, and "
               "doubt the card";
    case JC_ERR_CROSS_LINK:
        return "two files share the same clusters; run fsck or chkdsk, then copy both files anew";
    case JC_ERR_FILE_SIZE:
        return "the file claims to be larger than the volume; run fsck or chkdsk, then copy the "
               "file anew";
    case JC_ERR_VALID_LENGTH:
        return "the file claims more valid bytes than it has; run fsck.exfat or chkdsk, then copy "
               "it anew";
    case JC_ERR_SAMPLE_NOT_WAV:
        return "this is not a WAV file; convert it to WAV";
    case JC_ERR_SAMPLE_NO_FORMAT:
        return "this WAV file does not say what its audio is (no fmt chunk); export it again";
    case JC_ERR_SAMPLE_NO_DATA:
        return "this WAV file has no audio (no data chunk); export it again";
    case JC_ERR_SAMPLE_EMPTY:
        return "this WAV file has no audio in it; export it again";
    case JC_ERR_SAMPLE_CODING:
        return "this WAV file's coding is not played; convert it to 16-bit PCM";
    case JC_ERR_SAMPLE_CHANNELS:
        return "only mono and stereo are played; convert the file to one of them";
    case JC_ERR_SAMPLE_RATE:
        return "the sample rate is not one of 1 to 768,000 Hz; export the file again";
    case JC_ERR_SAMPLE_LAYOUT:
        return "this WAV file's format header contradicts itself; export it again";
    case JC_ERR_SAMPLE_CHUNKS:
        return "this WAV file has more than 1000 chunks before its audio; export it again";
    case JC_ERR_ENGINE_VOICES:
        return "an engine has 1 to 8 voices";
    case JC_ERR_ENGINE_CHANNELS:
        return "the sample is stereo but the engine is mono; set channels to 2 (1 and 2 are "
               "possible)";
    case JC_ERR_ENGINE_RATE:
        return "the output rate must be 8,000 to 192,000 Hz";
    case JC_ERR_ENGINE_BLOCK:
        return "a block must have 64 to 512 frames";
    case JC_ERR_ENGINE_FADE:
        return "a crossfade must have at least 16 frames and end inside a block; shorten it";
    case JC_ERR_ENGINE_SAMPLES:
        return "an engine holds 1 to 16 samples";
    case JC_ERR_ENGINE_HEADS:
        return "there can be up to 256 heads of 1 to 65,535 frames; without heads their length "
               "is 0";
    case JC_ERR_ENGINE_SPEED:
        return "the highest speed must be 1 to 32 sample frames per output frame";
    case JC_ERR_ENGINE_WINDOW:
        return "a window must have 1,024 to 65,536 frames and hold a block at the highest speed "
               "and "
               "1.5 ms; lengthen it or lower max_speed";
    case JC_ERR_ENGINE_READ:
        return "a read must have 8 to 128 sectors";
    case JC_ERR_ENGINE_QUEUE:
        return "64 commands are waiting already; is the audio side running? Post again later";
    case JC_ERR_ENGINE_NO_SAMPLE:
        return "no sample is loaded under that number; load one first";
    case JC_ERR_ENGINE_NO_SLICE:
        return "the sample has no such slice or frame";
    case JC_ERR_ENGINE_TOO_FAST:
        return "this pitch needs more frames of the sample than a window can give; lower it or "
               "make the engine with a higher max_speed";
    case JC_ERR_ENGINE_SPARES:
        return "there must be 1 spare window, and no more than voices";
    default:
        return "unknown error; please report it with the number";
    }
}
