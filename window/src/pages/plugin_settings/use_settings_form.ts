import { useEffect, useState } from "react";

import { api } from "@/api/http";
import { queryClient, queryKeys, usePluginSettings } from "@/api/queries";
import type { PluginSettingsAnswer, SettingChanges } from "@/api/records";

import { useStore } from "@/lib/store";

import { type SettingField, SettingsFormModel } from "./settings_form_model";

async function saveSettings(id: string, values: SettingChanges): Promise<PluginSettingsAnswer> {
  // Not a mutation of the query client: its cache would keep what was sent, and that may be a secret.
  const answer = await api<PluginSettingsAnswer>("PUT", `/plugins/${encodeURIComponent(id)}/settings`, { body: { values } });
  await queryClient.cancelQueries({ queryKey: queryKeys.pluginSettings(id) });
  queryClient.setQueryData(queryKeys.pluginSettings(id), answer);
  return answer;
}

export interface SettingsForm {
  /** Null until the first answer. */
  readonly model: SettingsFormModel | null;
  readonly query: ReturnType<typeof usePluginSettings>;
}

/** The form of one plugin, kept in step with the server without touching what is being edited. */
export function useSettingsForm(pluginId: string): SettingsForm {
  const query = usePluginSettings(pluginId);
  const [model, setModel] = useState<SettingsFormModel | null>(null);
  const { data } = query;
  useEffect(() => {
    if (data === undefined) {
      return;
    }
    if (model === null) {
      setModel(new SettingsFormModel(data, (changes) => saveSettings(pluginId, changes)));
    } else if (!model.isSaving) {
      // While a save is under way its own answer is the newer one.
      model.receive(data);
    }
  }, [data, model, pluginId]);
  useEffect(() => {
    if (model === null) {
      return;
    }
    const flush = () => model.flush();
    const onVisibility = () => {
      if (document.visibilityState === "hidden") {
        flush();
      }
    };
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      flush();
    };
  }, [model]);
  return { model, query };
}

/** The fields of a form; a new array when the schema changed. */
export function useFields(model: SettingsFormModel): readonly SettingField[] {
  return useStore(model.store);
}
