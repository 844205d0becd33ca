import type { ComponentChildren, VNode } from "preact";

/** An error text, shown where the error occurred. */
export function Problem({ text }: { readonly text: string | undefined }): VNode | null {
  if (text === undefined) return null;
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

/** The outline of what is coming, while something loads. */
export function Waiting({ isLoading }: { readonly isLoading: boolean }): VNode | null {
  return isLoading ? (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading…</span>
      <span class="bone" />
      <span class="bone" />
      <span class="bone" />
    </div>
  ) : null;
}

interface ActionProps {
  readonly text: string;
  readonly kind?: "link" | "quiet-button";
  /** For assistive technology, if the text is only a sign. */
  readonly label?: string;
  readonly isDisabled?: boolean;
  onClick(): unknown;
}

/** A button that does something at once. */
export function Action({ text, kind, label, isDisabled, onClick }: ActionProps): VNode {
  return (
    <button type="button" class={kind} aria-label={label} disabled={isDisabled} onClick={() => onClick()}>
      {text}
    </button>
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly placeholder?: string;
}

/** A line of a form. */
export function Field({ label, name, value = "", placeholder }: FieldProps): VNode {
  return (
    <label class="field">
      <span>{label}</span>
      <input type="text" name={name} defaultValue={value} placeholder={placeholder} autocomplete="off" />
    </label>
  );
}

interface NumberFieldProps extends Omit<FieldProps, "placeholder"> {
  readonly min?: number;
  readonly max?: number;
  /** Whether fractions are numbers here, too. */
  readonly hasFractions?: boolean;
}

/** A line of a form for a number. The browser tells what is none, if the form is asked to report it: such a field has no value. */
export function NumberField({
  label,
  name,
  value = "",
  min = 1,
  max,
  hasFractions = false,
}: NumberFieldProps): VNode {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        name={name}
        defaultValue={value}
        min={min}
        max={max}
        step={hasFractions ? "any" : 1}
        autocomplete="off"
      />
    </label>
  );
}

/** A section with its heading. */
export function Section({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <section class="section">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface TableProps {
  readonly label: string;
  /** The titles of its columns. */
  readonly head: readonly string[];
  /** Those of them whose columns hold numbers. */
  readonly numbers?: readonly string[];
  readonly hasCaption?: boolean;
  /** Its rows. */
  readonly children: ComponentChildren;
}

/** A table that scrolls if it is too wide. */
export function Table({ label, head, numbers = [], hasCaption = false, children }: TableProps): VNode {
  return (
    <div class="table" tabIndex={0} role="region" aria-label={label}>
      <table>
        {hasCaption ? <caption>{label}</caption> : null}
        <thead>
          <tr>
            {head.map((title) => (
              <th key={title} scope="col" class={numbers.includes(title) ? "number" : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** The values of a form's fields that are not empty. */
export function formValues(form: HTMLFormElement): Record<string, string> {
  const entries = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === "string" && value !== "" ? [[name, value] as const] : [],
  );
  return Object.fromEntries(entries);
}
