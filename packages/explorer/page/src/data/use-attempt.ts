import { useState } from "preact/hooks";
import { errorText } from "./api.js";

/** Does what a user asks for, and holds the text of the error if the last attempt failed. Never rejects. */
export function useAttempt() {
  const [problem, setProblem] = useState<string>();
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return { problem, attempt };
}
