// What the pages share: posting forms, and telling what went wrong.

const csrf = document.body.dataset.csrf;

/** The longest wait, in seconds, after which a request that came too soon is sent again. */
const PATIENCE = 2;

/** Posts fields as a form does and returns the answer as an object; a refusal is thrown as an object with `error`. */
export async function post(url, fields) {
  for (;;) {
    let response;
    try {
      response = await fetch(url, {
        method: "POST",
        headers: { accept: "application/json" },
        body: new URLSearchParams({ ...fields, csrf }),
      });
    } catch {
      throw { error: "the server cannot be reached: try again in a moment" };
    }
    const wait = Number(response.headers.get("retry-after"));
    if (response.status === 429 && 0 < wait && wait <= PATIENCE) {
      await new Promise((resolve) => setTimeout(resolve, wait * 1000));
      continue;
    }
    const answer = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
    if (!response.ok) throw answer;
    return answer;
  }
}

/** A text with a capital letter and a full stop. */
export function sentence(text) {
  if (!text) return "";
  return text[0].toUpperCase() + text.slice(1) + (/[.!?:\n]$/.test(text) ? "" : ".");
}

/** Makes an element with a text, properties and children. */
export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Shows lines as paragraphs or items; what has not changed is left alone, so that nothing is read out twice. */
export function lines(parent, tag, texts) {
  const key = texts.join("\n");
  if (parent.dataset.key === key) return;
  parent.dataset.key = key;
  parent.replaceChildren(...texts.map((text) => element(tag, { textContent: text })));
}
