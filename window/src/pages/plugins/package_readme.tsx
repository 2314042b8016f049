import { useMemo } from "react";

import { Markdown } from "@/sdk_app/markdown";
import { type TextAddresses, TextAddressesContext } from "@/sdk_app/text_addresses";
import { Card, EmptyState, Section } from "@/ui";

import type { PackageAbout } from "./install_model";
import { lowerHeadings } from "./lower_headings";

/** The page has the first level of headings, the section the second. */
const kHeadingLevels = 1;

/** Markdown makes addresses of names: `café.png` is asked for as `caf%C3%A9.png`. */
function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** The readme of a package, with the pictures that come with it. */
export function PackageReadme({ about }: { about: PackageAbout }) {
  const { readme, pictures } = about;
  const addresses = useMemo<TextAddresses>(
    () => ({
      imageUrl(address) {
        const name = decoded(address);
        const picture = pictures.find(({ path }) => decoded(path) === name);
        return picture === undefined ? undefined : `data:${picture.mediaType};base64,${picture.dataBase64}`;
      },
      // The files that a readme links to are not on any page before the plugin is installed.
      linkPath: () => undefined,
    }),
    [pictures],
  );
  return (
    <Section title="Readme">
      {readme === null ? (
        <EmptyState title="It has no readme" description="Its authors say nothing more about it." />
      ) : (
        <Card className="px-4 py-3">
          <TextAddressesContext value={addresses}>
            <Markdown content={lowerHeadings(readme, kHeadingLevels)} className="text-sm wrap-anywhere" />
          </TextAddressesContext>
          {about.readmeIsCut && <p className="mt-3 text-sm text-muted-foreground">The readme goes on; this is its beginning.</p>}
        </Card>
      )}
    </Section>
  );
}
