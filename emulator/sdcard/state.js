/**
 * A card's states and the bits of its status (SD Physical Layer Simplified
 * Specification 9.00, figures 4-1 and 4-15, table 4-42).
 */

/** Numbers as CURRENT_STATE has them. PRG is a card that is busy; one that is INACTIVE
 *  never answers. */
export const State = { IDLE: 0, READY: 1, IDENT: 2, STBY: 3, TRAN: 4, DATA: 5, PRG: 7, INACTIVE: 15 };

export const Status = {
  OUT_OF_RANGE: 0x80000000,
  ADDRESS_ERROR: 1 << 30,
  BLOCK_LEN_ERROR: 1 << 29,
  COM_CRC_ERROR: 1 << 23,
  ILLEGAL_COMMAND: 1 << 22,
  CARD_ECC_FAILED: 1 << 21,
  ERROR: 1 << 19,
  READY_FOR_DATA: 1 << 8,
  APP_CMD: 1 << 5,
};
