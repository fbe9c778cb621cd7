use omega::formula::*; use omega::translate::*; use omega::*;
fn main(){
 let path=std::env::args().nth(1).unwrap(); let text=std::fs::read_to_string(path).unwrap();
 let mut tot: std::collections::BTreeMap<String,(usize,usize)> = Default::default();
 for line in text.lines().skip(1){
  let c:Vec<&str>=line.split('\t').collect();
  let t=std::time::Instant::now();
  let mut st=Formulas::new(); let f=st.parse(c[2]).unwrap();
  let g=Simplifier::new().simplify(&mut st,f);
  let mut a=tableau(&mut st,g,Tableau{postpone_branching:false,state_limit:100000}).unwrap();
  trim::simplify_acceptance(&mut a);
  let raw=a.state_count();
  for _ in 0..4 { let x=simulation::reduce_direct(&mut a); trim::simplify_acceptance(&mut a); let y=simulation::reduce_reverse(&mut a); trim::simplify_acceptance(&mut a); if !x&&!y {break;} }
  let mut best=usize::MAX;
  for o in 0..4 { 
  let mut b=degeneralize::degeneralize(&a,degeneralize::Degeneralization{order:o,level_cache:true,look_ahead:true});
  for _ in 0..4 { let x=simulation::reduce_direct(&mut b); let y=simulation::reduce_reverse(&mut b); if !x&&!y {break;} }
  trim::prune(&mut b);
  best=best.min(b.state_count());}
  let el=t.elapsed().as_secs_f64();
  let s:usize=c[3].parse().unwrap_or(best); let lim:f64=c[10].parse().unwrap_or(1.0);
  let e=tot.entry(c[0].into()).or_default(); e.0+=s; e.1+=best;
  if best!=s || el>lim { println!("{}\t{}\tspot {}\tours {} raw {} tgba {} ({})\t{:.4}s\t{}",c[0],c[1],s,best,raw,a.state_count(),c[5],el,&c[2][..c[2].len().min(120)]); }
 }
 for (k,v) in tot { println!("{k}: spot {} ours {}",v.0,v.1);} 
}
