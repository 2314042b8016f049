import { type ClassValue, clsx } from "clsx";

/**
 * Joins class names. Which of two utilities for one property wins is up to their order in the sheet, so what a component lets others
 * replace carries the variant `base:`, which every plain utility beats. The tests refuse two utilities that meet.
 */
export function cn(...inputs: ClassValue[]): string {
  return clsx(inputs);
}
