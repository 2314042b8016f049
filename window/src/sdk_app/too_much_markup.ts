/** Why a text is not formatted, as a part of a sentence. Apart from those who count it: whoever shows texts knows it before parsers arrive. */
export class TooMuchMarkup extends Error {}
