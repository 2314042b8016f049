import { useId, useRef, useState } from "react";

import type { Interaction, InteractionPayload, UserAnswers, UserQuestion } from "#sdk/records.js";

import { cancelInteraction, resolveInteraction } from "@/api/threads";
import { ownMember } from "@/lib/own";
import { Button } from "@/ui/button";
import { cn } from "@/ui/cn";
import { Input } from "@/ui/input";
import { InteractionCard, useAnswer } from "./interaction_card";
import { expectedText, problemOf } from "./question_values";

type Questions = InteractionPayload & { kind: "user_question" };
type Answer = UserAnswers[string];

/** `lim.questionText` — UTF-16 units of a free answer. */
const kMaxFreeText = 4096;
const kNoAnswer: Answer = { selected: [] };

const isAnswered = ({ selected, freeText }: Answer): boolean => selected.length > 0 || (freeText?.trim() ?? "") !== "";

/** What is sent: without free text that nobody wrote. */
export function answersOf(questions: readonly UserQuestion[], given: UserAnswers): UserAnswers {
  return Object.fromEntries(
    questions.map(({ id }) => {
      const { selected, freeText = "" } = ownMember(given, id) ?? kNoAnswer;
      return [id, freeText.trim() === "" ? { selected } : { selected, freeText: freeText.trim() }];
    }),
  );
}

interface QuestionProps {
  question: UserQuestion;
  answer: Answer;
  /** Whether it has been tried to send it: before, nobody is told of what is not written to its end. */
  isTried: boolean;
  onChange(answer: Answer): void;
}

function QuestionField({
  question: { prompt, options = [], multiSelect, allowFreeText, optional = false, expects },
  answer,
  isTried,
  onChange,
}: QuestionProps) {
  const name = useId();
  const [isLeft, setLeft] = useState(false);
  const { selected, freeText = "" } = answer;
  const problem = isLeft || isTried ? problemOf(expects, freeText) : null;
  const choose = (value: string, isChosen: boolean) => {
    const others = multiSelect ? selected.filter((other) => other !== value) : [];
    // An answer is one of the options or a text of one's own, unless several are taken.
    onChange({ selected: isChosen ? [...others, value] : others, ...(multiSelect ? { freeText } : {}) });
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1 text-sm font-medium whitespace-pre-line wrap-anywhere">
        {prompt}
        {optional && <span className="font-normal text-muted-foreground"> (optional)</span>}
      </legend>
      {options.map(({ value, label, description }) => (
        <label key={value} className="flex min-w-0 cursor-pointer items-start gap-2.5 text-sm pointer-coarse:py-2">
          <input
            type={multiSelect ? "checkbox" : "radio"}
            name={name}
            checked={selected.includes(value)}
            onChange={(event) => choose(value, event.target.checked)}
            className="mt-0.5 size-4 shrink-0 accent-primary"
          />
          <span className="min-w-0 wrap-anywhere">
            {label}
            {description !== undefined && <span className="block text-xs text-muted-foreground">{description}</span>}
          </span>
        </label>
      ))}
      {allowFreeText && (
        <Input
          aria-label={options.length === 0 ? prompt : `${prompt} – your own answer`}
          aria-invalid={problem !== null}
          aria-describedby={expects === undefined ? undefined : `${name}-expects`}
          placeholder={options.length === 0 ? "Your answer" : "Or your own answer"}
          {...(expects === undefined ? {} : { inputMode: "decimal" })}
          value={freeText}
          maxLength={kMaxFreeText}
          onBlur={() => setLeft(true)}
          onChange={(event) => onChange({ selected: multiSelect ? selected : [], freeText: event.target.value })}
        />
      )}
      {expects !== undefined && (
        <p
          id={`${name}-expects`}
          role={problem === null ? undefined : "alert"}
          className={cn("text-xs wrap-anywhere", problem === null ? "text-muted-foreground" : "text-destructive-text")}
        >
          {problem ?? expectedText(expects)}
        </p>
      )}
    </fieldset>
  );
}

/** An agent asks something; all questions are answered together. */
export function QuestionForm({ interaction, payload: { questions } }: { interaction: Interaction; payload: Questions }) {
  const { isBusy, failure, answer } = useAnswer(interaction);
  const [given, setGiven] = useState<UserAnswers>({});
  const [isTried, setTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const open = questions.filter(({ id }) => !isAnswered(ownMember(given, id) ?? kNoAnswer));
  const needed = open.filter(({ optional }) => optional !== true).length;
  // Nothing at all is no answer, even where each question may be left out.
  const missing = open.length === questions.length ? Math.max(1, needed) : needed;
  return (
    <InteractionCard interaction={interaction} title="The agent has a question" failure={failure}>
      <form
        ref={form}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (missing > 0) {
            return;
          }
          const wrong = questions.findIndex(({ id, expects }) => problemOf(expects, ownMember(given, id)?.freeText ?? "") !== null);
          setTried(true);
          if (wrong === -1) {
            void answer(() => resolveInteraction(interaction, { kind: "user_answer", answers: answersOf(questions, given) }));
          } else {
            const field = form.current?.querySelectorAll("fieldset").item(wrong);
            field?.querySelector<HTMLInputElement>("input:not([type=radio], [type=checkbox])")?.focus();
          }
        }}
      >
        {questions.map((question) => (
          <QuestionField
            key={question.id}
            question={question}
            answer={ownMember(given, question.id) ?? kNoAnswer}
            isTried={isTried}
            onChange={(next) => setGiven((all) => ({ ...all, [question.id]: next }))}
          />
        ))}
        <div className="flex items-center gap-3">
          <Button type="submit" variant="primary" isBusy={isBusy} disabled={missing > 0}>
            Answer
          </Button>
          <Button
            variant="ghost"
            disabled={isBusy}
            onClick={() => void answer(() => cancelInteraction(interaction.threadId, interaction.id))}
          >
            Give no answer
          </Button>
          {missing > 0 && questions.length > 1 && <p className="text-xs text-muted-foreground">{missing} still without an answer</p>}
        </div>
      </form>
    </InteractionCard>
  );
}
