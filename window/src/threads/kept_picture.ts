/** How the machine of an agent names the pictures that it has sent. */
const kKept = /^\/(.+\/)?pictures\/[0-9a-f]{32}\.(gif|jpg|png|webp)$/;

/** Whether a machine keeps the picture because an agent has sent it: nobody has given it a name. */
export const isKeptPicture = (path: string): boolean => kKept.test(path);
