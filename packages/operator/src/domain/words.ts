// What people call a job: the API itself says job, and who shows its sentences to people has the app's own word.

/** What an app calls a job and several of them, in texts for people. */
export interface Words {
  readonly one: string;
  readonly many: string;
}

/** Not in quotes, not the name of a member (`job: lines: …`), and not a part of an id or a path. */
const NOUN = /(?<![\w"'`./-])jobs?(?![\w"'`:/-]|\.\w)/gi;

/** A sentence that the API itself has written. What services and people wrote stays as it is: it is not for this. */
export function inWordsOf({ one, many }: Words, sentence: string): string {
  return sentence.replace(NOUN, (noun) => {
    const word = /s$/i.test(noun) ? many : one;
    return noun.startsWith("J") ? `${word.charAt(0).toUpperCase()}${word.slice(1)}` : word;
  });
}
