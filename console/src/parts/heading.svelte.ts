/** The name of the record that the page shows, for the title of the browser's tab. */
class Heading {
  text = $state<string | null>(null);

  /** An attachment of the element that shows the name. */
  readonly of = (text: string) => () => {
    this.text = text;
    return () => {
      if (this.text === text) this.text = null;
    };
  };
}

export const heading = new Heading();
