export default function SkillsPage() {
  return <h1>Skills</h1>;
}
